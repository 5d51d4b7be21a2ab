import type { Reply } from './reply.ts'

const extensionsMax = 40
const keywordCharactersMax = 40

/**
 * `ehlo-keyword` of RFC 5321, 4.1.1.1; some servers send `AUTH=LOGIN` as well as, or instead of,
 * `AUTH LOGIN`.
 */
const keyword = /^([a-z\d][a-z\d-]*)(?:[ =]|$)/i

/** The keywords in a reply to EHLO, upper case and unique: all lines except the greeting. */
export const extensionsOf = ({ lines }: Reply): string[] => {
  const keywords = lines.slice(1).flatMap((line) => keyword.exec(line)?.[1]?.toUpperCase() ?? [])
  return [...new Set(keywords)].filter((each) => each.length <= keywordCharactersMax).slice(0, extensionsMax)
}
