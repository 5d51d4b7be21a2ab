import { exchange } from './exchange.ts'
import type { Exchanged, OutgoingGuard } from './exchange.ts'

const redirectsMax = 3
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * One GET of a public document, and of where it was moved to: every address on the way is judged. @see exchange
 * @param bytesMax of the document
 */
export const get = async (
  url: string,
  { accept, bytesMax }: { accept: string; bytesMax: number },
  signal: AbortSignal,
  guard: OutgoingGuard,
): Promise<Exchanged> => {
  let at = url
  for (let followed = 0; ; followed++) {
    const sent = { method: 'GET', url: at, headers: { accept }, body: null } as const
    const answer = await exchange(sent, bytesMax, signal, guard)
    const { location } = answer.headers
    const isMoved = redirects.has(answer.httpStatus) && location !== undefined
    if (!isMoved || followed >= redirectsMax || !URL.canParse(location, at)) return answer
    at = new URL(location, at).href
  }
}
