import { codeOf } from '@probe-mesh/runtime/errors'
import net from 'node:net'
import type { ResolverAddress } from '@probe-mesh/contracts/target/dns-target'
import { createFrameReader, framed } from './frame.ts'
import { createQuery } from './query.ts'
import { saidIn, type Said } from './said.ts'
import type { Question } from './message.ts'

/**
 * Asks over a connection of its own (RFC 7766). Its first message must be the answer, since nobody else can write there.
 * @param end called once: the answer, or a code
 * @returns ends it early, without a call of `end`
 */
export const queryTcp = (
  question: Question,
  { address, port }: ResolverAddress,
  msMax: number,
  end: (said: Said | string) => void,
): (() => void) => {
  const query = createQuery(question)
  const reader = createFrameReader()
  const socket = net.connect({ host: address, port, autoSelectFamily: false, noDelay: true })
  let done = false
  const stop = (): void => {
    done = true
    clearTimeout(timer)
    socket.destroy()
  }
  const settle = (said: Said | string): void => {
    if (done) return
    stop()
    end(said)
  }
  const timer = setTimeout(settle, msMax, 'ETIMEOUT')
  socket.once('connect', () => socket.write(framed(query.bytes)))
  socket.on('data', (chunk: Buffer) => {
    const message = reader.push(chunk)
    if (message === null) return
    const said = saidIn(query, message)
    settle(typeof said === 'string' ? 'EBADRESP' : said)
  })
  socket.on('error', (error) => settle(codeOf(error)))
  socket.once('close', () => settle('ECONNREFUSED'))
  return stop
}
