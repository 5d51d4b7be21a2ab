import { fileLimits } from '../file/checks-file.ts'
import type { FileCheck } from '../file/checks-file.ts'

/** What is said of one field of a monitor. */
export type Remark = { field: string; message: string }

/**
 * A check while it is made of a monitor. With a reason to skip it there will be none: a check
 * that measures something else than the monitor did is worse than no check.
 */
export type Draft = {
  /** As the source has it: blank, long or taken twice. */
  name: string
  /** The monitor's place in the source, such as `monitorList[3]`. */
  at: string
  url: string
  fields: Omit<FileCheck, 'name' | 'url'>
  notes: Remark[]
  /** Notes that most monitors share: they are told once, with how many share them. */
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

/** The check is made without that, or differs in that. */
export const note = (draft: Draft, field: string, message: string): void => {
  draft.notes.push({ field, message })
}

/** A note that most monitors of the source share. */
export const share = (draft: Draft, field: string, message: string): void => {
  draft.shared.push({ field, message })
}

/** There is no check that measures the same. */
export const skip = (draft: Draft, field: string, message: string): void => {
  draft.reasons.push({ field, message })
}

/** What to do with a monitor of a type that a file cannot declare. */
export const inDashboard = (type: string): string =>
  `a file has http checks only: create it in the dashboard as a ${type} check`

/** What a source says, before names are given: its drafts, and notes about the file itself. */
export type Monitors =
  | { ok: true; drafts: Draft[]; about: Remark[] }
  | { ok: false; problems: string[] }

/** The bound of a file of checks, for what is in the source. */
export const tooMany = (count: number, what: string): string[] =>
  count > fileLimits.checksMax
    ? [`has ${count} ${what}: a file of checks has at most ${fileLimits.checksMax}`]
    : []

/** Bounds of what is imported; those of the checks that come out are `fileLimits`. */
export const importLimits = {
  /** A parser that keeps every node reads this much in seconds; configurations are kilobytes. */
  yamlCharactersMax: 4 * 1024 * 1024,
  /** Values of a YAML text with every alias written out. */
  yamlNodesMax: 5_000_000,
  /** Maps and lists inside one another; configurations have a handful. */
  yamlDepthMax: 100,
  /** Problems that are listed; further ones are counted. */
  problemsMax: 100,
  /** Of the source's text that a note repeats. */
  quoteCharactersMax: 80,
} as const

/** The source's text as a note repeats it: in quotes and cut. */
export const quoted = (text: string): string => {
  const cut = Array.from(text.slice(0, importLimits.quoteCharactersMax * 2))
    .slice(0, importLimits.quoteCharactersMax)
    .join('')
  return JSON.stringify(cut.length < text.length ? `${cut}…` : text)
}

/** A number with what it counts: `1 check`, `2 checks`. */
export const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`
