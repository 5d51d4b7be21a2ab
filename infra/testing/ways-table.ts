import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../.cache/install', import.meta.url))

/** One way from an empty machine to a first green check. */
export type Way = {
  readonly way: string
  /** What a person types, in order. */
  readonly commands: readonly string[]
  /** From the first command until the program is ready, and until the first check is green. */
  readonly readySeconds: number
  readonly greenSeconds: number
  /** Bytes that came over the network, artefact included; null where they were not counted. */
  readonly downloadedBytes: number | null
  /** Bytes on the disk afterwards, without data. */
  readonly unpackedBytes: number
}

/**
 * Keeps a way's row in a file below `.cache/install`, in place of an older one, and writes the table of all beside it.
 * Suites of different artefacts add their rows one after another.
 * @returns the table, as Markdown
 */
export const recordWay = async (way: Way): Promise<string> => {
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'ways.json')
  const kept = JSON.parse(await readFile(file, 'utf8').catch(() => '[]')) as Way[]
  const all = [...kept.filter((one) => one.way !== way.way), way]
  const table = tableOf(all)
  await replace(file, `${JSON.stringify(all, null, 2)}\n`)
  await replace(join(folder, 'ways.md'), table)
  return table
}

const replace = async (file: string, text: string): Promise<void> => {
  await writeFile(`${file}.new`, text)
  await rename(`${file}.new`, file)
}

const megabytes = (bytes: number | null): string => (bytes === null ? '' : (bytes / 1e6).toFixed(1))

const tableOf = (ways: readonly Way[]): string =>
  [
    '| way | commands | ready, s | first green check, s | downloaded, MB | on disk, MB |',
    '| --- | --- | --- | --- | --- | --- |',
    ...ways.map(
      ({ way, commands, readySeconds, greenSeconds, downloadedBytes, unpackedBytes }) =>
        `| ${way} | ${commands.length} | ${readySeconds.toFixed(1)} | ${greenSeconds.toFixed(1)} | ${megabytes(downloadedBytes)} | ${megabytes(unpackedBytes)} |`,
    ),
    '',
    ...ways.flatMap(({ way, commands }) => [`${way}:`, '', ...commands.map((line) => `    ${line}`), '']),
  ].join('\n')
