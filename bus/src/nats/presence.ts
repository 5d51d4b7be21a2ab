import { JetStreamApiError } from '@nats-io/jetstream'
import type { KvEntry } from '@nats-io/kv'
import { subjects, presence as pace } from '@probe-mesh/contracts/mesh/subjects'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { toPresence } from '../foreign-values.ts'
import type { Presence } from '../port.ts'
import { createRareLog } from '../rare-log.ts'
import { encodeText, toToken, valueIn } from '../wire.ts'
import { withReport } from '../with-report.ts'
import { isNote, isWaitingNote, waitingKey, writeNote } from './clock.ts'
import type { Link } from './link.ts'
import { bucketStream, bucketSubject } from './topology.ts'

const wrongLastSequence = 10_071

const isTakenOver = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === wrongLastSequence

/**
 * The agents that are online: a bucket per region whose keys expire after the TTL, on some servers up to
 * twice that. After an outage of NATS an agent announces itself again at once.
 */
export const createPresence = (link: Link): Presence => ({
  announce: async (presence, onSuperseded, report) => {
    const key = toToken(presence.agent)
    const text = () => encodeText(withReport(presence, report))
    let revision = 0
    let closed = false
    const openBucket = () => link.bucket(subjects.presence(presence.region))
    const take = async () => {
      revision = await (await openBucket()).put(key, text())
    }
    /**
     * Whether the key belongs to another agent, rather than being empty or our own put whose reply was lost.
     */
    const isOfAnother = async (): Promise<boolean> => {
      const entry = await (await openBucket()).get(key)
      if (entry?.operation !== 'PUT') return false
      const announced = toPresence(valueIn(entry.value), presence.region)
      return announced?.startedAt !== presence.startedAt
    }
    const renew = async () => {
      if (closed) return
      try {
        revision = await (await openBucket()).update(key, text(), revision)
      } catch (error) {
        if (!isTakenOver(error)) throw error
        if (!(await isOfAnother())) return take()
        stop()
        link.log.error({ agent: presence.agent }, 'another agent runs under the same name')
        onSuperseded?.()
      }
    }
    await link.attempt(take)
    const rarely = createRareLog(link.log)
    let renewing: Promise<void> = Promise.resolve()
    const renewSoon = () => {
      renewing = renewing
        .then(() => link.attempt(renew))
        .catch((error: unknown) => {
          if (!closed) rarely.warn(String(error), { err: error }, 'presence could not be announced')
        })
    }
    const timer = setInterval(() => {
      if (link.isUp()) renewSoon()
    }, pace.announceMs).unref()
    const stopListening = link.onChange((up) => {
      if (up) renewSoon()
    })
    const stop = () => {
      closed = true
      clearInterval(timer)
      stopListening()
    }
    link.closing.addEventListener('abort', () => clearInterval(timer), { once: true })
    return {
      close: async () => {
        if (closed) return
        stop()
        await renewing
        if (!link.isUp()) return
        // Only our own key: a restarted agent may have announced itself since.
        await (await openBucket()).delete(key, { previousSeq: revision }).catch((error: unknown) => {
          link.log.info(
            { err: error, agent: presence.agent },
            'the announcement could not be withdrawn and expires with its TTL',
          )
        })
      },
    }
  },
  list: (region) =>
    link.attempt(async () =>
      (await readAnnouncements(link, region)).flatMap((entry) => {
        // the data of one agent must not hide the others
        const announced = toPresence(valueIn(entry.value), region)
        return announced === null ? [] : [{ ...announced, revision: entry.revision }]
      }),
    ),
  tellWaiting: ({ agent, region, instance }) =>
    link.attempt(() => writeNote(link, region, waitingKey(agent, instance), { agent, region, instance })),
})

/**
 * The announcements in the bucket of a region. Not by a watch: a key that expires meanwhile would block it.
 */
export const readAnnouncements = async (link: Link, region: Region): Promise<KvEntry[]> =>
  (await readKeys(link, region, (key) => !isNote(key))).filter(({ operation }) => operation === 'PUT')

/** The agents that wait for their names, newest notes only. */
export const readWaiting = async (link: Link, region: Region): Promise<KvEntry[]> =>
  readKeys(link, region, isWaitingNote)

const readKeys = async (
  link: Link,
  region: Region,
  isWanted: (key: string) => boolean,
): Promise<KvEntry[]> => {
  const name = subjects.presence(region)
  const { state } = await link.jsm.streams.info(bucketStream(name), {
    subjects_filter: bucketSubject(name, '>'),
  })
  const bucket = await link.bucket(name)
  const keys = Object.keys(state.subjects ?? {})
    .map((subject) => subject.slice(bucketSubject(name, '').length))
    .filter(isWanted)
  const entries = await Promise.all(keys.map((key) => bucket.get(key)))
  return entries.filter((entry) => entry !== null)
}
