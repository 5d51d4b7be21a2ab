import { readFileSync } from 'node:fs'

/** A shell block of a document; `kind` is the word after `sh` in its first line. */
export type Block = { kind: string; section: string; text: string }

/** The shell blocks of a document, in order, unchanged. */
export const shellBlocks = (document: URL): Block[] => {
  const blocks: Block[] = []
  let section = ''
  let open: Block | null = null
  for (const line of readFileSync(document, 'utf8').split('\n')) {
    const fence = /^```(\w*) ?(.*)$/.exec(line)
    if (open !== null && fence !== null) {
      if (open.kind !== 'not a shell') blocks.push(open)
      open = null
    } else if (open !== null) open.text += `${line}\n`
    else if (fence !== null) {
      open = { kind: fence[1] === 'sh' ? (fence[2] ?? '') : 'not a shell', section, text: '' }
    } else if (line.startsWith('## ')) section = line.slice(3)
  }
  return blocks
}
