import { randomBytes } from 'node:crypto'
import { setTimeout as elapse } from 'node:timers/promises'
import { isUncertain, type Attempt, type ItemSent } from './conservation.ts'

/** The project of a reporter. */
export type Reported = { id: string; number: string; key: string }

export type Reporters = {
  /** All requests, in the order of their answers or failures. */
  attempts: readonly Attempt[]
  /** Resolves when the last requests are answered. */
  end(): Promise<void>
}

/** Longer than any real answer takes. */
const answerMsMax = 30_000
/** The delay before a retry. */
const retryPauseMs = 50
const retriesMax = 3

/**
 * Starts one client for each project. It sends items sequentially without pauses and records the answers.
 * After an uncertain result it sends the same event again, as SDKs can.
 */
export const startReporters = (origin: string, projects: readonly Reported[]): Reporters => {
  const attempts: Attempt[] = []
  const ending = new AbortController()
  const send = async (project: Reported, eventId: string, item: ItemSent): Promise<Attempt> => {
    const status = await post(origin, project, bodyOf(eventId, item))
    const attempt = { projectId: project.id, eventId, item, status }
    attempts.push(attempt)
    return attempt
  }
  const report = async (project: Reported): Promise<void> => {
    for (let n = 0; !ending.signal.aborted; n++) {
      const [eventId, item] = [randomBytes(16).toString('hex'), itemOf(n)]
      let attempt = await send(project, eventId, item)
      for (let tries = 0; isUncertain(attempt) && tries < retriesMax; tries++) {
        await elapse(retryPauseMs)
        attempt = await send(project, eventId, item)
      }
      // a duplicate
      if (n % 20 === 13) await send(project, eventId, item)
    }
  }
  const reporting = projects.map(report)
  return {
    attempts,
    end: async () => {
      ending.abort()
      await Promise.all(reporting)
    },
  }
}

const itemOf = (n: number): ItemSent => {
  if (n % 10 === 0) return 'broken'
  if (n % 10 === 5) return 'session'
  return n % 50 === 27 ? 'large' : 'event'
}

const largeText = 'x'.repeat(1_100_000)

const bodyOf = (eventId: string, item: ItemSent): string => {
  const header = JSON.stringify({ event_id: eventId })
  if (item === 'session') return `${header}\n{"type":"session"}\n{"sid":"${eventId}"}\n`
  const event = {
    event_id: eventId,
    message: `problem ${Number.parseInt(eventId.slice(0, 2), 16) % 5}`,
    release: `shop@${Number.parseInt(eventId.slice(2, 4), 16) % 2}`,
    ...(item === 'large' ? { extra: { text: largeText } } : {}),
  }
  const payload = item === 'broken' ? '{"broken' : JSON.stringify(event)
  return `${header}\n{"type":"event"}\n${payload}\n`
}

/** @returns the status; null without an answer */
const post = async (origin: string, project: Reported, body: string): Promise<number | null> => {
  const url = `${origin}/api/${project.number}/envelope/?sentry_key=${project.key}`
  try {
    const signal = AbortSignal.timeout(answerMsMax)
    const response = await fetch(url, { method: 'POST', body, signal })
    await response.arrayBuffer()
    return response.status
  } catch {
    return null
  }
}
