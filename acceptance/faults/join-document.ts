import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { joinParts } from './report.ts'

const document = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url))

/** Rewrites one part of `docs/reliability.md` and keeps the other. */
export const joinDocument = async (part: { table: string } | { soak: string }): Promise<void> => {
  const before = await readFile(document, 'utf8').catch(() => '')
  await writeFile(document, joinParts(before, part))
}
