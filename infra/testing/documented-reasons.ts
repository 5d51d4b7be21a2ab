import { readFileSync } from 'node:fs'

/** A row of a table of docs/reasons.md. `verdict` includes the fault: `down, target`. */
export type DocumentedReason = {
  section: string
  cause: string
  verdict: string
  reason: string
  meaning: string
}

export const reasonsText = readFileSync(new URL('../../docs/reasons.md', import.meta.url), 'utf8')

/** Every cause with each of its reasons, as docs/reasons.md lists them. */
export const documentedReasons: readonly DocumentedReason[] = reasonsText.split(/^## /m).flatMap((part) => {
  const section = part.slice(0, part.indexOf('\n')).trim()
  return [...part.matchAll(/^\|(.+)\|$/gm)].flatMap(([, line = '']) => {
    const [cause = '', verdict = '', reason = '', meaning = ''] = line
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
    const word = /^`([a-z0-9_]{1,40})`$/.exec(cause)?.[1]
    return word === undefined ? [] : [{ section, cause: word, verdict, reason, meaning }]
  })
})
