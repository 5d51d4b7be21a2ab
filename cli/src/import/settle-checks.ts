import { fileLimits } from '../file/checks-file.ts'
import { writeChecksFile } from '../file/write-file.ts'
import { checkNames } from './check-names.ts'
import type { Draft, Remark } from './draft.ts'
import { counted, listed } from './import-note.ts'
import type { Imported, ImportNote } from './import-note.ts'

/** What a source says, before names are given: its drafts, and notes about the file itself. */
export type Monitors =
  | { ok: true; drafts: Draft[]; about: Remark[] }
  | { ok: false; problems: string[] }

/**
 * Makes the checks of a file: what `writeChecksFile` writes of them `parseChecksFile` reads back.
 * A monitor is carried or skipped; notes that many share are told once, with their number.
 */
export const settleChecks = (monitors: Monitors): Imported => {
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

/** The bound of a file of checks, for what is in the source. */
export const tooMany = (count: number, what: string): string[] =>
  count > fileLimits.checksMax
    ? [`has ${count} ${what}: a file of checks has at most ${fileLimits.checksMax}`]
    : []
