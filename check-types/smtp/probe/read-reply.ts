import { codeOf } from '@probe-mesh/runtime/errors'
import type { Socket } from 'node:net'
import { stopped } from '@probe-mesh/probe-agent/src/request/failure'
import type { Stop } from '@probe-mesh/probe-agent/src/request/stop'
import { feed, noReply, type Reply, type ReplyFault } from './reply.ts'

/** The result of waiting for one reply. */
export type ReplyResult =
  /** `extra`: the start of unexpected data after the reply; usually empty. */
  | { kind: 'reply'; reply: Reply; extra: string; firstByteAt: number }
  | { kind: 'fault'; fault: ReplyFault; received: string }
  | { kind: 'closed' }
  | { kind: 'error'; code: string }
  /** `begun`: part of a reply had come. */
  | { kind: 'deadline'; begun: boolean }
  | { kind: 'stopped' }

const extraBytesMax = 240

/** Waits for one reply of a mail server; the socket is paused before and after. */
export const readReply = (socket: Socket, stop: Stop): Promise<ReplyResult> =>
  new Promise((resolve) => {
    let partial = noReply
    let firstByteAt: number | null = null

    const end = (heard: ReplyResult): void => {
      stop.during(null)
      socket.pause()
      socket.off('data', onData).off('end', onClosed).off('close', onClosed).off('error', onError)
      resolve(heard)
    }
    const onClosed = (): void => end({ kind: 'closed' })
    const onError = (error: unknown): void => end({ kind: 'error', code: codeOf(error) })
    const onData = (chunk: Buffer): void => {
      firstByteAt ??= performance.now()
      const fed = feed(partial, chunk)
      if (fed.kind === 'partial') {
        partial = fed.partial
      } else if (fed.kind === 'reply') {
        const extra = fed.rest.subarray(0, extraBytesMax).toString('utf8')
        end({ kind: 'reply', reply: fed.reply, extra, firstByteAt })
      } else end(fed)
    }

    socket.on('error', onError).on('close', onClosed).on('end', onClosed).on('data', onData)
    socket.resume()
    stop.during(() => {
      const ours = stop.failure('ttfb') === stopped
      end(ours ? { kind: 'stopped' } : { kind: 'deadline', begun: firstByteAt !== null })
    })
    if (socket.destroyed) onClosed()
  })
