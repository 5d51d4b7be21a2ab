import { expect } from 'vitest'
import type { FileCheck } from '../file/checks-file.ts'
import { parseChecksFile } from '../file/parse-file.ts'
import { writeChecksFile } from '../file/write-file.ts'
import { importChecks } from './import-checks.ts'
import type { ImportSource } from './import-checks.ts'

/** What an import says, a line for each: what tests compare. */
export const told = (source: ImportSource): string[] => {
  const imported = importChecks(source)
  if (!imported.ok) return imported.problems.map((problem) => `! ${problem}`)
  const { checks, notes, skipped } = imported
  expectReadable(checks)
  return [
    ...checks.map((check) => `+ ${rest(check)}`),
    ...notes.map(({ name, field, message }) => `? ${name}: ${field}: ${message}`),
    ...skipped.map(({ name, field, message }) => `- ${name}: ${field}: ${message}`),
  ]
}

const rest = ({ name, url, ...fields }: FileCheck): string =>
  `${name} ${url} ${JSON.stringify(fields)}`

/** What is imported can be written as a file and read back as the same. */
export const expectReadable = (checks: FileCheck[]): void => {
  for (const format of ['yaml', 'json'] as const) {
    const text = writeChecksFile(checks, { format, comments: [] })
    expect(parseChecksFile(text, format)).toStrictEqual({ ok: true, file: { version: 1, checks } })
  }
}

/** The same without what is told of the whole file. */
export const toldOfEach = (source: ImportSource): string[] =>
  told(source).filter((line) => !line.startsWith('? : '))
