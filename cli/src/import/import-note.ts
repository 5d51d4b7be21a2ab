import type { FileCheck } from '../file/checks-file.ts'

/**
 * Something of a monitor that its check has not, or why there is no check of it. `name` is the
 * check's, or the monitor's where there is none, empty where the note is about the file or about many monitors; `field` is the source's.
 */
export type ImportNote = { name: string; field: string; message: string }

/** A file's checks with everything that was not carried over as it was, or why it is not read. */
export type Imported =
  | { ok: true; checks: FileCheck[]; notes: ImportNote[]; skipped: ImportNote[] }
  | { ok: false; problems: string[] }

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

/** The problems that are listed, the rest as a count. */
export const listed = (problems: readonly string[]): string[] => {
  const rest = problems.length - importLimits.problemsMax
  if (rest <= 0) return [...problems]
  return [...problems.slice(0, importLimits.problemsMax), `and ${rest} problems more`]
}
