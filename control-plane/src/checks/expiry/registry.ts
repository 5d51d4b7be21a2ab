import { anySignal } from '@probe-mesh/runtime/any-signal'
import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { get } from '../../notifications/outgoing/guarded-request.ts'
import type { RequestGuard } from '../../notifications/outgoing/guarded-request.ts'
import { parseBootstrap, parseRegistration, questionOf } from './rdap.ts'
import type { Registration } from './rdap.ts'

const bootstrapBytesMax = 4 * 1024 * 1024
const answerBytesMax = 512 * 1024
const questionMsMax = 15_000
const dayMs = 86_400_000
/** After this the list is looked for again where it could not be read. */
const bootstrapAgainMs = 600_000
/** A registry that asks for more time is asked again after it, within these bounds. */
const pauseMsMin = 60_000
const pauseMsMax = 6 * 3_600_000

/** What became of a question. */
export type Told =
  | ({ outcome: 'told' } & Registration)
  /** No registry with such a server is known; it knows no such domain; it answered otherwise, or not at all. */
  | { outcome: 'no_server' | 'not_found' | 'failed' }
  /** Nothing was asked: the registry wants to be left alone until then. */
  | { outcome: 'paused'; untilMs: number }

export type Registries = {
  /** Whether it is known which registries there are; asks IANA's list where its day is over. */
  open(signal: AbortSignal): Promise<boolean>
  /** One question to the registry of a domain. */
  ask(domain: string, signal: AbortSignal): Promise<Told>
}

/** The registries of domains, by IANA's list of their RDAP servers, over guarded requests. */
export const createRegistries = (capabilities: {
  bootstrapUrl: string
  guard: RequestGuard
  onFailure: (error: unknown) => void
  now: () => number
}): Registries => {
  const { bootstrapUrl, guard, onFailure, now } = capabilities
  const paused = new Map<string, number>()
  let servers: ReadonlyMap<string, string> = new Map()
  let freshUntilMs = Number.NEGATIVE_INFINITY

  const read = async (url: string, accept: string, bytesMax: number, signal: AbortSignal) => {
    const limited = anySignal([signal, AbortSignal.timeout(questionMsMax)])
    const answer = await get(url, { accept, bytesMax }, limited, guard)
    const parse = (): unknown => {
      if (answer.cut) throw new Error('the answer is too long, or breaks off')
      return parseForeignJson(answer.bytes)
    }
    return { status: answer.httpStatus, headers: answer.headers, parse }
  }

  const refresh = async (signal: AbortSignal): Promise<void> => {
    freshUntilMs = now() + bootstrapAgainMs
    const { status, parse } = await read(
      bootstrapUrl,
      'application/json',
      bootstrapBytesMax,
      signal,
    )
    const parsed = status === 200 ? parseBootstrap(parse()) : null
    if (parsed === null) throw new Error(`the list of registries cannot be read (status ${status})`)
    servers = parsed
    freshUntilMs = now() + dayMs
  }

  const pauseFor = (server: string, retryAfter: string | undefined): number => {
    const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : 0
    const untilMs = now() + Math.min(pauseMsMax, Math.max(pauseMsMin, seconds * 1_000))
    paused.set(server, untilMs)
    return untilMs
  }

  return {
    open: async (signal) => {
      if (now() >= freshUntilMs) await refresh(signal).catch(onFailure)
      return servers.size > 0
    },
    ask: async (domain, signal) => {
      const question = questionOf(domain, servers)
      if (question === null) return { outcome: 'no_server' }
      const untilMs = paused.get(question.server) ?? 0
      if (now() < untilMs) return { outcome: 'paused', untilMs }
      try {
        const accept = 'application/rdap+json'
        const { status, headers, parse } = await read(question.url, accept, answerBytesMax, signal)
        if (status === 429 || status === 503) pauseFor(question.server, headers['retry-after'])
        if (status === 404) return { outcome: 'not_found' }
        const told = status === 200 ? parseRegistration(parse(), domain) : null
        return told === null ? { outcome: 'failed' } : { outcome: 'told', ...told }
      } catch (error) {
        onFailure(error)
        return { outcome: 'failed' }
      }
    },
  }
}
