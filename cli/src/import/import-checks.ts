import { limits } from '@probe-mesh/contracts/limits'
import { parseUrl } from '@probe-mesh/contracts/parse-url'
import { fileLimits } from '../file/checks-file.ts'
import type { FileCheck } from '../file/checks-file.ts'
import { withoutMark } from '../file/place.ts'
import { writeChecksFile } from '../file/write-file.ts'
import { storable } from './carry.ts'
import { counted, importLimits, note, quoted } from './draft.ts'
import type { Draft, Monitors, Remark } from './draft.ts'
import { gatusEndpoints } from './gatus-endpoints.ts'
import { kumaBackup, kumaRows } from './kuma-monitors.ts'
import type { KumaRows } from './kuma-monitors.ts'
import { upptimeSites } from './upptime-sites.ts'

/**
 * Something of a monitor that its check has not, or why there is no check of it. `name` is the
 * check's, or the monitor's where there is none, empty where the note is about the file or about many monitors; `field` is the source's.
 */
export type ImportNote = { name: string; field: string; message: string }

/** A file's checks with everything that was not carried over as it was, or why it is not read. */
export type Imported =
  | { ok: true; checks: FileCheck[]; notes: ImportNote[]; skipped: ImportNote[] }
  | { ok: false; problems: string[] }

/** Another monitor's file, or what `readKumaDatabase` read of one. */
export type ImportSource =
  | { kind: 'uptime-kuma' | 'gatus' | 'upptime'; text: string }
  | { kind: 'uptime-kuma-rows'; rows: KumaRows }

const readers = { 'uptime-kuma': kumaBackup, gatus: gatusEndpoints, upptime: upptimeSites }

/**
 * Makes checks of another monitor's file. A check measures what the monitor measured, or a note
 * says in what it differs; where it would measure something else, the monitor is skipped, by name.
 * It never throws for what a file may hold.
 * @returns checks that a file takes as they are, or every problem of the source
 */
export const importChecks = (source: ImportSource): Imported => {
  if (source.kind === 'uptime-kuma-rows') return settleChecks(kumaRows(source.rows))
  if (source.text.length > fileLimits.textCharactersMax) {
    const message = `has more than ${fileLimits.textCharactersMax} characters`
    return { ok: false, problems: [message] }
  }
  return settleChecks(readers[source.kind](withoutMark(source.text)))
}

/**
 * Makes the checks of a file: what `writeChecksFile` writes of them `parseChecksFile` reads back.
 * A monitor is carried or skipped; notes that many share are told once, with their number.
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
  const counts = new Map<string, Remark & { count: number }>()
  for (const { field, message } of drafts.flatMap(({ shared }) => shared)) {
    const key = `${field}\n${message}`
    counts.set(key, { field, message, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  return [...counts.values()].map(({ field, message, count }) => ({
    name: '',
    field,
    message: `${message} (${counted(count, 'check')})`,
  }))
}

/**
 * Gives names as a file has them: "`name` is the match key and must be unique within the file"
 * (specification, Command-line tool). A name that is not the monitor's own gets a note.
 * @returns a function that names one draft after the other
 */
const checkNames = (): ((draft: Draft) => string) => {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return (draft) => {
    const base = baseName(draft)
    let name = base
    for (let count = counts.get(base) ?? 1; taken.has(name);) {
      count += 1
      counts.set(base, count)
      name = cut(base, ` (${count})`)
    }
    if (name !== base) note(draft, 'name', `is ${quoted(base)} there, as another one is`)
    taken.add(name)
    return name
  }
}

const baseName = (draft: Draft): string => {
  const kept = storable(draft.name)
  if (kept.trim() === '') {
    note(draft, 'name', 'is blank: the check has the name of its host')
    return cut(parseUrl(draft.url)?.hostname ?? draft.at, '')
  }
  if (kept !== draft.name) note(draft, 'name', 'is without NUL and halves of surrogate pairs')
  const base = cut(kept, '')
  if (base !== kept) note(draft, 'name', `is cut to ${limits.nameCharactersMax} characters`)
  return base
}

/** A name with its ending, as long as names may be, and never cut inside a character. */
const cut = (name: string, ending: string): string => {
  const room = limits.nameCharactersMax - ending.length
  if (name.length <= room) return name + ending
  return name.slice(0, room).replace(/[\uD800-\uDBFF]$/, '') + ending
}

/** The problems that are listed, the rest as a count. */
const listed = (problems: readonly string[]): string[] => {
  const rest = problems.length - importLimits.problemsMax
  if (rest <= 0) return [...problems]
  return [...problems.slice(0, importLimits.problemsMax), `and ${rest} problems more`]
}
