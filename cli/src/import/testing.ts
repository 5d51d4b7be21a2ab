import { expect } from 'vitest'
import type { FileCheck } from '../file/checks-file.ts'
import { parseChecksFile } from '../file/parse-file.ts'
import { writeChecksFile } from '../file/write-file.ts'
import { importChecks, type ImportSource } from './import-checks.ts'

/** The result of an import, one line each, for comparison. */
export const describeImport = (source: ImportSource): string[] => {
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

const rest = ({ name, url, ...fields }: FileCheck): string => `${name} ${url} ${JSON.stringify(fields)}`

/** Imported checks can be written as a file and read back unchanged. */
export const expectReadable = (checks: FileCheck[]): void => {
  for (const format of ['yaml', 'json'] as const) {
    const text = writeChecksFile(checks, { format, comments: [] })
    expect(parseChecksFile(text, format)).toStrictEqual({
      ok: true,
      file: { version: 1, checks },
      placeOf: expect.any(Function),
    })
  }
}

/** The same without notes about the whole file. */
export const describeMonitors = (source: ImportSource): string[] =>
  describeImport(source).filter((line) => !line.startsWith('? : '))
