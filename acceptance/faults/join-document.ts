import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const document = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url))

/** The parts of `docs/reliability.md`: the table of faults has no heading of this level. */
const headings = [undefined, 'The soak', 'The oracle']
const headingOf = (part: string): string | undefined => /^## (.*)/.exec(part)?.[1]

/** Writes one part of `docs/reliability.md` and keeps the others. */
export const joinDocument = async (part: string): Promise<void> => {
  const before = await readFile(document, 'utf8').catch(() => '')
  await writeFile(document, joinPart(before, part))
}

/** @param before the current page; empty: none */
export const joinPart = (before: string, part: string): string => {
  const parts = new Map(before.split(/^(?=## )/m).map((text) => [headingOf(text), text]))
  parts.set(headingOf(part), part)
  const present = headings.map((heading) => (parts.get(heading) ?? '').trim()).filter((text) => text !== '')
  return `${present.join('\n\n')}\n`
}
