import { codeOf } from '@probe-mesh/runtime/errors'
import type { Socket } from 'node:net'
import type { TcpSettings } from '../settings.ts'
import { stopped } from '@probe-mesh/probe-agent/src/request/failure'
import { roundMs } from '@probe-mesh/probe-agent/src/request/round'
import type { Stop } from '@probe-mesh/probe-agent/src/request/stop'
import { receivedBytesMax, appendReceived } from './received.ts'

/** How a conversation ended; `error` has the code of the socket's error. */
type Ending =
  | { kind: 'satisfied' | 'full' | 'closed' | 'deadline' | 'stopped' }
  | { kind: 'error'; code: string }

export type Conversation = {
  ending: Ending
  /** The first received bytes, at most `receivedBytesMax`. */
  received: Buffer
  /** From the connection, or the last sent byte, to the first received byte, ms; null: none. */
  ttfbMs: number | null
}

/**
 * Sends the configured text, then reads until the expected text arrives. Without an expected text
 * it is satisfied when the system has accepted the sent text.
 */
export const converse = (
  socket: Socket,
  { send, expect }: Pick<TcpSettings, 'send' | 'expect'>,
  stop: Stop,
): Promise<Conversation> =>
  new Promise((resolve) => {
    const wanted = expect === null ? null : Buffer.from(expect)
    const startedAt = performance.now()
    let received: Buffer = Buffer.alloc(0)
    let ttfbMs: number | null = null

    const end = (ending: Ending): void => {
      stop.during(null)
      socket.pause()
      socket.off('data', onData).off('end', onClosed).off('close', onClosed).off('error', onError)
      resolve({ ending, received, ttfbMs })
    }
    const onClosed = (): void => end({ kind: 'closed' })
    const onError = (error: unknown): void => end({ kind: 'error', code: codeOf(error) })
    const onData = (chunk: Buffer): void => {
      if (wanted === null) return
      ttfbMs ??= roundMs(performance.now() - startedAt)
      const from = Math.max(0, received.length - wanted.length)
      received = appendReceived(received, chunk)
      if (received.includes(wanted, from)) end({ kind: 'satisfied' })
      else if (received.length === receivedBytesMax) end({ kind: 'full' })
    }

    socket.on('error', onError).on('close', onClosed)
    if (wanted !== null) socket.on('end', onClosed).on('data', onData)
    stop.during(() => {
      end({ kind: stop.failure('ttfb') === stopped ? 'stopped' : 'deadline' })
    })
    if (send !== null) {
      socket.write(send, 'utf8', (error) => {
        if (wanted === null && !error) end({ kind: 'satisfied' })
      })
    } else if (wanted === null) end({ kind: 'satisfied' })
  })
