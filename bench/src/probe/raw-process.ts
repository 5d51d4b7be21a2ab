// The floor: sockets that write one request and read the response, and nothing else.
import net from 'node:net'
import tls from 'node:tls'
import { answerParent } from '../harness/child.ts'
import { timeSlice, type SliceQuestion } from './slice.ts'
import { zone, type Target } from './targets.ts'

export type RawQuestion = SliceQuestion & { target: Target }

const request = Buffer.from(`GET / HTTP/1.1\r\nHost: raw.${zone}\r\nConnection: close\r\n\r\n`)
const ok = 'HTTP/1.1 200'

let trust: tls.SecureContext | null = null

const connect = ({ secure, target }: RawQuestion): net.Socket => {
  const endpoint = { host: '127.0.0.1', autoSelectFamily: false }
  if (!secure) return net.connect({ ...endpoint, port: target.httpPort })
  trust ??= tls.createSecureContext({ ca: target.ca, ecdhCurve: 'X25519:P-256:P-384' })
  const servername = `raw.${zone}`
  return tls.connect({ ...endpoint, port: target.httpsPort, servername, secureContext: trust })
}

const probe = (question: RawQuestion): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(question)
    let status = ''
    socket.once(question.secure ? 'secureConnect' : 'connect', () => socket.write(request))
    socket.on('data', (chunk: Buffer) => {
      if (status === '') status = chunk.toString('latin1', 0, ok.length)
    })
    socket.once('end', () => {
      socket.destroy()
      resolve(status === ok)
    })
    socket.once('error', () => resolve(false))
  })

answerParent((question: RawQuestion) => timeSlice(question, () => probe(question)))
