import { randomInt } from 'node:crypto'
import { queryTcp } from './tcp-query.ts'
import { saidIn, saidNothing, type Said } from './said.ts'
import type { Question } from './message.ts'
import type { Query } from './query.ts'
import type { Server, Servers } from './servers.ts'
import type { Sent } from './udp-sockets.ts'

export type LookUpCounts = {
  /** Answers that were truncated, so that the question was asked over TCP. */
  truncated: number
  /** Datagrams with the id of a query that do not answer it. */
  ignored: number
  /** Tries that followed one without an answer. */
  repeated: number
  /** Questions refused because too many were waiting. */
  refused: number
}

export type LookUps = {
  /** Asks the resolvers of this machine now; nothing is remembered or shared. Never rejects. */
  ask(question: Question): Promise<Said>
  readonly counts: Readonly<LookUpCounts>
  /** Questions without an answer yet. */
  readonly waiting: number
  close(): void
}

/** Each server is asked twice. */
const triesOfServer = 2
export const lookUpBounds = { waitingMax: 20_000, tcpMax: 200 }

/** Codes of `dns.Resolver` for servers that cannot be reached; sockets have more. */
const reached: Readonly<Record<string, string>> = {
  ECONNRESET: 'ECONNREFUSED',
  ENETUNREACH: 'ECONNREFUSED',
  EHOSTUNREACH: 'ECONNREFUSED',
  ENETDOWN: 'ECONNREFUSED',
  EINVAL: 'ECONNREFUSED',
  EPERM: 'ECONNREFUSED',
  EACCES: 'ECONNREFUSED',
  EPIPE: 'ECONNREFUSED',
  ETIMEDOUT: 'ETIMEOUT',
}

/** What the look-ups of one resolver share. */
type Shared = {
  servers: Servers
  now: () => number
  bounds: typeof lookUpBounds
  counts: LookUpCounts
  /** Ends each look-up that waits. */
  open: Set<(said: Said) => void>
  overTcp: number
  closed: boolean
}

/**
 * Asks as c-ares does with the options of `dns.Resolver` that this product used before: UDP without EDNS, a truncated
 * answer again over TCP, an error of a server is its answer, a silent or refusing one is followed by the next, and each
 * is tried twice, the second time for longer. Answers to an earlier try count (S-886, S-887).
 * @param now monotonic, ms
 */
export const createLookUps = (
  { servers, now }: { servers: Servers; now: () => number },
  bounds = lookUpBounds,
): LookUps => {
  const counts: LookUpCounts = { truncated: 0, ignored: 0, repeated: 0, refused: 0 }
  const open: Shared['open'] = new Set()
  const shared: Shared = { servers, now, bounds, counts, open, overTcp: 0, closed: false }
  return {
    counts,
    get waiting() {
      return open.size
    },
    ask: (question) => {
      if (shared.closed) return Promise.resolve(saidNothing('ECANCELLED'))
      if (open.size >= bounds.waitingMax) {
        counts.refused += 1
        return Promise.resolve(saidNothing('ENOBUFS'))
      }
      retryFailed(question, shared)
      return new Promise((resolve) => start(question, shared, resolve))
    },
    close: () => {
      shared.closed = true
      for (const settle of open) settle(saidNothing('ECANCELLED'))
      servers.close()
    },
  }
}

/** One question to a server that failed, beside that of a look-up, to learn whether it answers again. */
const retryFailed = (question: Question, { servers, now }: Shared): void => {
  const server = servers.toRetry()
  if (server === null) return
  servers.failed(server)
  const end = (): void => {
    clearTimeout(timer)
    sent.forget()
  }
  const timer = setTimeout(end, server.latency.timeoutMs(now())).unref()
  const sent = server.sockets.send(question, {
    onDatagram: (query, bytes) => {
      if (saidIn(query, bytes) === 'ignored') return
      servers.answered(server)
      end()
    },
    onError: end,
  })
}

/** @param resolve called once */
const start = (question: Question, shared: Shared, resolve: (said: Said) => void): void => {
  const { servers, now, bounds, counts, open } = shared
  const sent: Sent[] = []
  let tries = 0
  let isTcp = servers.tcpOnly
  let code = 'ETIMEOUT'
  let timer: NodeJS.Timeout | undefined
  let stopTcp: (() => void) | null = null

  const settle = (said: Said): void => {
    if (!open.delete(settle)) return
    clearTimeout(timer)
    for (const each of sent) each.forget()
    endTcp()
    resolve(said)
  }
  const endTcp = (): void => {
    if (stopTcp === null) return
    stopTcp()
    stopTcp = null
    shared.overTcp -= 1
  }
  const fails = (server: Server, found: string): void => {
    servers.failed(server)
    if (code === 'ETIMEOUT') code = reached[found] ?? found
    tryNext()
  }
  const onAnswer = (server: Server, said: Said, sentAt: number): void => {
    servers.answered(server)
    if (said.code === 'OK' || said.code === 'ENODATA' || said.code === 'ENOTFOUND') {
      server.latency.add(now() - sentAt, now())
    }
    settle(said)
  }
  const askTcp = (server: Server, msMax: number): void => {
    if (shared.overTcp >= bounds.tcpMax) {
      counts.refused += 1
      return settle(saidNothing('ENOBUFS'))
    }
    shared.overTcp += 1
    const sentAt = now()
    stopTcp = queryTcp(question, server.address, msMax, (said) => {
      endTcp()
      if (typeof said === 'string') fails(server, said)
      else onAnswer(server, said, sentAt)
    })
  }
  const askUdp = (server: Server, msMax: number): void => {
    const sentAt = now()
    const mine = tries
    const onDatagram = (query: Query, bytes: Buffer): void => {
      const said = saidIn(query, bytes)
      if (said === 'ignored') {
        counts.ignored += 1
        code = 'EBADRESP'
      } else if (said !== 'truncated') {
        onAnswer(server, said, sentAt)
      } else if (!isTcp) {
        isTcp = true
        counts.truncated += 1
        clearTimeout(timer)
        askTcp(server, msMax)
      }
    }
    // the next try, or one over TCP, has taken its place
    const end = (found: string): void => {
      if (mine !== tries || stopTcp !== null || !open.has(settle)) return
      clearTimeout(timer)
      fails(server, found)
    }
    timer = setTimeout(end, msMax, 'ETIMEOUT')
    sent.push(server.sockets.send(question, { onDatagram, onError: end }))
  }
  const tryNext = (): void => {
    const all = servers.ordered()
    const [server] = all
    if (shared.closed) return settle(saidNothing('ECANCELLED'))
    if (server === undefined) return settle(saidNothing('ECONNREFUSED'))
    if (tries >= all.length * triesOfServer) return settle(saidNothing(code))
    const round = Math.floor(tries / all.length)
    tries += 1
    if (tries > 1) counts.repeated += 1
    const msMax = waitMs(server.latency.timeoutMs(now()), round)
    if (isTcp) askTcp(server, msMax)
    else askUdp(server, msMax)
  }

  open.add(settle)
  tryNext()
}

/** Longer in the second round, by a random share, so that many do not ask again at once. */
const waitMs = (ms: number, round: number): number =>
  round === 0 ? ms : Math.round(Math.max(ms, ms * 2 ** round * (1 - randomInt(1_000) / 2_000)))
