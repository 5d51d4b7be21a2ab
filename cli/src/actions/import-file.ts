import { open } from 'node:fs/promises'
import { fail, writeJson } from '../api/failure.ts'
import type { Action, CommonOptions } from '../command-line/command-spec.ts'
import { writeChecksFile } from '../file/write-file.ts'
import { detectBytesMax, detectSource } from '../import/detect-source.ts'
import { importChecks, type Imported, type ImportNote } from '../import/import-checks.ts'
import { readKumaDatabase } from '../import/read-kuma-database.ts'
import { count, showLine, showName } from '../plan/show-value.ts'
import type { Context } from '../terminal/context.ts'
import { formatOf, readProblem, readTextOf, replaceFile } from './files.ts'

type ImportOptions = CommonOptions & { file: string | undefined; from: string | undefined }

const textKinds = ['uptime-kuma', 'gatus', 'upptime'] as const

/**
 * Converts another monitor's file to a file of checks, and names everything that was not imported.
 */
export const importFile: Action<ImportOptions> = async (context, options, [source = '']) => {
  const imported = await readSource(context, source, options.from)
  if (!imported.ok) {
    const failures = imported.problems.map((problem) => ({ message: `${source}: ${problem}` }))
    return fail(context, options, failures)
  }
  const { checks, notes, skipped } = imported
  const { file, json } = options
  const isToFile = file !== undefined && file !== '-'
  if (isToFile) {
    const text = writeChecksFile(checks, { format: formatOf(file), comments: [] })
    const failure = await replaceFile(file, text)
    if (failure !== null) return fail(context, options, [failure])
  }
  if (json) {
    const written = isToFile ? { file } : { checks }
    writeJson(context.out, { version: 1, problems: [], ...written, notes, skipped })
    return 0
  }
  if (isToFile) context.out.write(`Wrote ${count(checks.length, 'check')} to ${file}.\n`)
  else context.out.write(writeChecksFile(checks, { format: 'yaml', comments: [] }))
  for (const line of remarks(notes, skipped)) context.err.write(`${line}\n`)
  return 0
}

const readSource = async (context: Context, source: string, from: string | undefined): Promise<Imported> => {
  const start = await readStart(source)
  if (typeof start === 'string') return { ok: false, problems: [start] }
  const detected = detectSource(source, start)
  if (!detected.ok && from === undefined) return { ok: false, problems: [detected.message] }
  if (detected.ok && detected.kind === 'uptime-kuma-database') {
    const database = await readKumaDatabase(source)
    if (!database.ok) return { ok: false, problems: [database.message] }
    return importChecks({ kind: 'uptime-kuma-rows', rows: database.rows })
  }
  const kind = textKinds.find((each) => each === (from ?? (detected.ok && detected.kind)))
  if (kind === undefined) throw new Error(`${from} is no monitor that is read`)
  const read = await readTextOf(context, source)
  if (!read.ok) return { ok: false, problems: [read.message] }
  return importChecks({ kind, text: read.text })
}

/** @returns the first bytes of a file, or why they cannot be read */
const readStart = async (source: string): Promise<Uint8Array | string> => {
  try {
    await using handle = await open(source)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(detectBytesMax), 0, detectBytesMax, 0)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return readProblem(error)
  }
}

/** Differences and skipped monitors, those of the whole file first. */
const remarks = (notes: readonly ImportNote[], skipped: readonly ImportNote[]): string[] => [
  ...section('Imported with differences:', notes),
  ...section('Skipped:', skipped),
]

const section = (title: string, notes: readonly ImportNote[]): string[] =>
  notes.length === 0 ? [] : [title, ...notes.map((note) => `  ${lineOf(note)}`)]

const lineOf = ({ name, field, message }: ImportNote): string =>
  `${name === '' ? '' : `${showName(name)}: `}${showLine(field === '' ? message : `${field}: ${message}`)}`
