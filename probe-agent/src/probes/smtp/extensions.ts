import type { Reply } from './reply.ts'

const extensionsMax = 40
const keywordCharactersMax = 40

/** `ehlo-keyword` of RFC 5321, 4.1.1.1; some servers say `AUTH=LOGIN` besides or instead of `AUTH LOGIN`. */
const keyword = /^([a-z\d][a-z\d-]*)(?:[ =]|$)/i

/** The keywords that a reply to EHLO offers, upper case, each once: all its lines but the greeting. */
export const extensionsOf = ({ lines }: Reply): string[] => {
  const keywords = lines.slice(1).flatMap((line) => keyword.exec(line)?.[1]?.toUpperCase() ?? [])
  return [...new Set(keywords)]
    .filter((each) => each.length <= keywordCharactersMax)
    .slice(0, extensionsMax)
}
