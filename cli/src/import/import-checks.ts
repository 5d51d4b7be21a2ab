import { limits } from '@probe-mesh/contracts/schema/limits'
import { parseUrl } from '@probe-mesh/contracts/target/host-in-url'
import { fileLimits, type FileCheck } from '../file/checks-file.ts'
import { withoutByteOrderMark } from '../file/position.ts'
import { writeChecksFile } from '../file/write-file.ts'
import { count } from '../plan/show-value.ts'
import { storable } from './carry.ts'
import { importLimits, note, quoted, type Draft, type Monitors, type Remark } from './draft.ts'
import { gatusEndpoints } from './gatus-endpoints.ts'
import { kumaBackup, kumaRows, type KumaRows } from './kuma-monitors.ts'
import { upptimeSites } from './upptime-sites.ts'

/**
 * A setting that was not imported, or why a monitor was skipped. `name` is the check's or the
 * monitor's, and empty for a note about the file or many monitors; `field` is the source's.
 */
export type ImportNote = { name: string; field: string; message: string }

/** The imported checks with all differences, or why the file was not read. */
export type Imported =
  | { ok: true; checks: FileCheck[]; notes: ImportNote[]; skipped: ImportNote[] }
  | { ok: false; problems: string[] }

/** Another monitor's file, or the rows of `readKumaDatabase`. */
export type ImportSource =
  | { kind: 'uptime-kuma' | 'gatus' | 'upptime'; text: string }
  | { kind: 'uptime-kuma-rows'; rows: KumaRows }

const readers = { 'uptime-kuma': kumaBackup, gatus: gatusEndpoints, upptime: upptimeSites }

/**
 * Converts another monitor's file to checks. Every difference in what is measured has a note; a
 * monitor whose check would measure something else is skipped by name. Never throws, whatever the
 * file contains.
 * @returns checks for a file, or every problem of the source
 */
export const importChecks = (source: ImportSource): Imported => {
  if (source.kind === 'uptime-kuma-rows') return settleChecks(kumaRows(source.rows))
  if (source.text.length > fileLimits.textCharactersMax) {
    const message = `has more than ${fileLimits.textCharactersMax} characters`
    return { ok: false, problems: [message] }
  }
  return settleChecks(readers[source.kind](withoutByteOrderMark(source.text)))
}

/**
 * Completes the checks, so that `parseChecksFile` reads back what `writeChecksFile` writes. A
 * monitor is imported or skipped; shared notes are listed once, with their number.
 */
const settleChecks = (monitors: Monitors): Imported => {
  if (!monitors.ok) return { ok: false, problems: listed(monitors.problems) }
  const { drafts, about } = monitors
  const carried = drafts.filter(({ reasons }) => reasons.length === 0)
  const nameOf = checkNames()
  const checks = carried.map((draft) => ({
    name: nameOf(draft),
    url: draft.url,
    ...draft.fields,
  }))
  const { textCharactersMax } = fileLimits
  if (writeChecksFile(checks, { format: 'yaml', comments: [] }).length > textCharactersMax) {
    return { ok: false, problems: [`the checks are more than ${textCharactersMax} characters`] }
  }
  return {
    ok: true,
    checks,
    notes: [
      ...about.map((remark) => ({ name: '', ...remark })),
      ...sharedNotes(carried),
      ...carried.flatMap((draft, index) => named(checks[index]?.name ?? '', draft.notes)),
    ],
    skipped: drafts.flatMap((draft) => named(shownName(draft), draft.reasons)),
  }
}

const named = (name: string, remarks: readonly Remark[]): ImportNote[] =>
  remarks.map((remark) => ({ name, ...remark }))

const shownName = ({ name, at }: Draft): string => (name.trim() === '' ? at : name)

const sharedNotes = (drafts: readonly Draft[]): ImportNote[] => {
  const counts = new Map<string, Remark & { number: number }>()
  for (const { field, message } of drafts.flatMap(({ shared }) => shared)) {
    const key = `${field}\n${message}`
    counts.set(key, { field, message, number: (counts.get(key)?.number ?? 0) + 1 })
  }
  return [...counts.values()].map(({ field, message, number }) => ({
    name: '',
    field,
    message: `${message} (${count(number, 'check')})`,
  }))
}

/**
 * Assigns names that are unique within the file, since checks are matched by name. A changed name
 * gets a note.
 * @returns a function that names one draft after the other
 */
const checkNames = (): ((draft: Draft) => string) => {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return (draft) => {
    const base = baseName(draft)
    let name = base
    for (let number = counts.get(base) ?? 1; taken.has(name);) {
      number += 1
      counts.set(base, number)
      name = cut(base, ` (${number})`)
    }
    if (name !== base) note(draft, 'name', `is ${quoted(base)} there, like another monitor`)
    taken.add(name)
    return name
  }
}

const baseName = (draft: Draft): string => {
  const kept = storable(draft.name)
  if (kept.trim() === '') {
    note(draft, 'name', 'is blank: the check is named after its host')
    return cut(parseUrl(draft.url)?.hostname ?? draft.at, '')
  }
  if (kept !== draft.name) note(draft, 'name', 'had NUL or halves of surrogate pairs, which are removed')
  const base = cut(kept, '')
  if (base !== kept) note(draft, 'name', `is cut to ${limits.nameCharactersMax} characters`)
  return base
}

/** A name with its ending, cut to the limit between characters. */
const cut = (name: string, ending: string): string => {
  const room = limits.nameCharactersMax - ending.length
  if (name.length <= room) return name + ending
  return name.slice(0, room).replace(/[\uD800-\uDBFF]$/, '') + ending
}

/** The problems up to the limit, and the number of the rest. */
const listed = (problems: readonly string[]): string[] => {
  const rest = problems.length - importLimits.problemsMax
  if (rest <= 0) return [...problems]
  return [...problems.slice(0, importLimits.problemsMax), `and ${rest} more problems`]
}
