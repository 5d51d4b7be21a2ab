import { fileLimits, type FileCheck } from '../file/checks-file.ts'
import { count } from '../plan/show-value.ts'
import { isMap, isSet, type Fields } from './shape.ts'

/** A remark about one field of a monitor. */
export type Remark = { field: string; message: string }

/**
 * A check while it is converted from a monitor. With a reason to skip it is not imported: a check
 * that measures something else is worse than no check.
 */
export type Draft = {
  /** As in the source: may be blank, long or repeated. */
  name: string
  /** The monitor's place in the source, such as `monitorList[3]`. */
  at: string
  url: string
  fields: Omit<FileCheck, 'name' | 'url'>
  notes: Remark[]
  /** Notes shared by many monitors: printed once, with their number. */
  shared: Remark[]
  reasons: Remark[]
}

export const draftOf = (monitor: { name: string; at: string; url: string }): Draft => ({
  ...monitor,
  fields: {},
  notes: [],
  shared: [],
  reasons: [],
})

/** The check lacks this setting, or differs in it. */
export const note = (draft: Draft, field: string, message: string): void => {
  draft.notes.push({ field, message })
}

/** A note shared by many monitors of the source. */
export const share = (draft: Draft, field: string, message: string): void => {
  draft.shared.push({ field, message })
}

/** No check can measure the same. */
export const skip = (draft: Draft, field: string, message: string): void => {
  draft.reasons.push({ field, message })
}

/** What to do with a monitor of a type that a file cannot declare. */
export const inDashboard = (type: string): string =>
  `files support http checks only; create it in the dashboard as a ${type} check`

/** The content of a source before names are assigned: drafts, and notes about the whole file. */
export type Monitors = { ok: true; drafts: Draft[]; about: Remark[] } | { ok: false; problems: string[] }

/** Applies the limit of a file of checks to the source. */
export const tooMany = (count: number, what: string): string[] =>
  count > fileLimits.checksMax
    ? [`has ${count} ${what}: a file of checks has at most ${fileLimits.checksMax}`]
    : []

/** Limits of imported files; the resulting checks have `fileLimits`. */
export const importLimits = {
  /** A full parser reads this much in seconds; configurations are kilobytes. */
  yamlCharactersMax: 4 * 1024 * 1024,
  /** Values of a YAML text with all aliases expanded. */
  yamlNodesMax: 5_000_000,
  /** Nested maps and lists; configurations have a handful of levels. */
  yamlDepthMax: 100,
  /** Problems that are listed; further ones are counted. */
  problemsMax: 100,
  /** The characters of source text that a note repeats. */
  quoteCharactersMax: 80,
} as const

/** Source text in a note: quoted and cut. */
export const quoted = (text: string): string => {
  const cut = Array.from(text.slice(0, importLimits.quoteCharactersMax * 2))
    .slice(0, importLimits.quoteCharactersMax)
    .join('')
  return JSON.stringify(cut.length < text.length ? `${cut}…` : text)
}

/** Remarks about settings of the whole configuration, which checks do not have. */
export const unusedSettings = (root: Fields, fields: readonly string[]): Remark[] =>
  fields
    .filter((field) => isSet(root[field]))
    .map((field) => ({ field, message: 'is not imported: files contain checks only' }))

/** Remarks about fields of monitors that change nothing about what they measure, with their number. */
export const unusedFields = (list: unknown, fields: readonly string[], noun: string): Remark[] =>
  fields.flatMap((field) => {
    const items: unknown[] = Array.isArray(list) ? list : []
    const { length } = items.filter((item) => isMap(item) && isSet(item[field]))
    return length === 0 ? [] : [{ field, message: `is not imported (${count(length, noun)})` }]
  })
