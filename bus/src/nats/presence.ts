import { subjects, presence as pace } from '@probe-mesh/contracts/subjects'
import type { AgentPresence, Presence } from '../port.ts'
import type { Link } from './link.ts'
import { bucketStream, bucketSubject } from './topology.ts'
import { decodeBytes, encodeText, toToken } from './wire.ts'

/**
 * Who is there: a bucket per region whose keys age away after the TTL, up to as much again later
 * on some servers. While NATS is away an agent says it again as soon as NATS is back.
 */
export const createPresence = (link: Link): Presence => ({
  announce: async (presence) => {
    const key = toToken(presence.agent)
    const text = encodeText(presence)
    let revision = 0
    let closed = false
    const renew = () =>
      link.attempt(async () => {
        const bucket = await link.bucket(subjects.presence(presence.region))
        if (!closed) revision = await bucket.put(key, text)
      })
    let renewing: Promise<void> = renew()
    await renewing
    const renewSoon = () => {
      renewing = renewing.then(renew).catch((error: unknown) => {
        if (!closed) link.log.warn({ err: error }, 'presence could not be announced')
      })
    }
    const timer = setInterval(() => {
      if (link.isUp()) renewSoon()
    }, pace.announceMs).unref()
    const stopListening = link.onChange((up) => {
      if (up) renewSoon()
    })
    link.closing.addEventListener('abort', () => clearInterval(timer), { once: true })
    return {
      close: async () => {
        if (closed) return
        closed = true
        clearInterval(timer)
        stopListening()
        await renewing
        if (!link.isUp()) return
        const bucket = await link.bucket(subjects.presence(presence.region))
        // Only one's own: another life of this agent may have announced itself since.
        await bucket.delete(key, { previousSeq: revision }).catch((error: unknown) => {
          link.log.info({ err: error, agent: presence.agent }, 'presence ends with its TTL')
        })
      },
    }
  },
  list: (region) =>
    link.attempt(async () => {
      const name = subjects.presence(region)
      const bucket = await link.bucket(name)
      // Not by a watch: a key that ages away meanwhile would leave it waiting.
      const { state } = await link.jsm.streams.info(bucketStream(name), {
        subjects_filter: bucketSubject(name, '>'),
      })
      const keys = Object.keys(state.subjects ?? {}).map((subject) =>
        subject.slice(bucketSubject(name, '').length),
      )
      const entries = await Promise.all(keys.map((key) => bucket.get(key)))
      return entries.flatMap((entry) =>
        entry?.operation === 'PUT' ? [decodeBytes<AgentPresence>(entry.value)] : [],
      )
    }),
})
