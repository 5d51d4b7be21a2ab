import { open } from 'node:fs/promises'
import { fail, writeJson } from '../api/failure.ts'
import type { Act, Common } from '../command-line/command-spec.ts'
import type { FileCheck } from '../file/checks-file.ts'
import { writeChecksFile } from '../file/write-file.ts'
import { detectBytesMax, detectSource } from '../import/detect-source.ts'
import { importChecks } from '../import/import-checks.ts'
import type { Imported, ImportNote } from '../import/import-checks.ts'
import { readKumaDatabase } from '../import/read-kuma-database.ts'
import { showLine, showName } from '../plan/show-value.ts'
import type { World } from '../terminal/world.ts'
import { formatOf, readTextOf, replaceFile, whyUnreadable } from './files.ts'

export type ImportOptions = Common & { file: string | undefined; from: string | undefined }

const textKinds = ['uptime-kuma', 'gatus', 'upptime'] as const

/** Makes a file of checks from another monitor's, and names all that was not carried over. */
export const importFile: Act<ImportOptions> = async (world, options, [source = '']) => {
  const imported = await readSource(world, source, options.from)
  if (!imported.ok) {
    const failures = imported.problems.map((problem) => ({ message: `${source}: ${problem}` }))
    return fail(world, options, failures)
  }
  const { checks, notes, skipped } = imported
  const { file, json } = options
  const isToFile = file !== undefined && file !== '-'
  if (isToFile) {
    const text = writeChecksFile(checks, { format: formatOf(file), comments: [] })
    const failure = await replaceFile(file, text)
    if (failure !== null) return fail(world, options, [failure])
  }
  if (json) {
    const written = isToFile ? { file } : { checks }
    writeJson(world.out, { version: 1, problems: [], ...written, notes, skipped })
    return 0
  }
  if (isToFile) world.out.write(`Wrote ${countOf(checks)} to ${file}.\n`)
  else world.out.write(writeChecksFile(checks, { format: 'yaml', comments: [] }))
  for (const line of remarks(notes, skipped)) world.err.write(`${line}\n`)
  return 0
}

const readSource = async (
  world: World,
  source: string,
  from: string | undefined,
): Promise<Imported> => {
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
  const read = await readTextOf(world, source)
  if (!read.ok) return { ok: false, problems: [read.message] }
  return importChecks({ kind, text: read.text })
}

/** @returns the first bytes of a file, or why there are none */
const readStart = async (source: string): Promise<Uint8Array | string> => {
  try {
    await using handle = await open(source)
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(detectBytesMax),
      0,
      detectBytesMax,
      0,
    )
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return whyUnreadable(error)
  }
}

const countOf = ({ length }: readonly FileCheck[]): string =>
  `${length} ${length === 1 ? 'check' : 'checks'}`

/** What differs and what is not there, by monitor; first what is about all of them. */
const remarks = (notes: readonly ImportNote[], skipped: readonly ImportNote[]): string[] => [
  ...section('Carried over, but not as it was:', notes),
  ...section('Not carried over:', skipped),
]

const section = (title: string, notes: readonly ImportNote[]): string[] =>
  notes.length === 0 ? [] : [title, ...notes.map((note) => `  ${lineOf(note)}`)]

const lineOf = ({ name, field, message }: ImportNote): string =>
  `${name === '' ? '' : `${showName(name)}: `}${showLine(field === '' ? message : `${field}: ${message}`)}`
