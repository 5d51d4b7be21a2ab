import http from 'node:http'
import { Duplex } from 'node:stream'
import type { Leniency } from '../notes.ts'
import { createResponseReader, type ResponseEvents } from '../response-reader.ts'

/** The result of reading a response: its parts, and how it ended. */
export type Read = {
  /** null without a valid head. */
  status: number | null
  headers: Record<string, string | string[] | undefined>
  body: string
  end: 'complete' | 'incomplete' | 'bad'
}

const nothing = (): Read => ({ status: null, headers: {}, body: '', end: 'incomplete' })

/** Reads as browsers do, with the tolerated violations. */
export const readLeniently = (pieces: readonly Buffer[]): Read & { noted: Leniency[] } => {
  const noted = new Set<Leniency>()
  const read = readOurs(pieces, { tolerate: (what) => noted.add(what) })
  return { ...read, noted: [...noted] }
}

/** Reads with our own reader. @param bytesMax of a head */
export const readOurs = (
  pieces: readonly Buffer[],
  {
    method = 'GET',
    bytesMax = 16_384,
    tolerate = null,
  }: { method?: string; bytesMax?: number; tolerate?: ((what: Leniency) => void) | null } = {},
): Read => {
  const read = nothing()
  const events: ResponseEvents = {
    onInterim: (status) => {
      if (status === 101) read.end = 'bad'
      return status !== 101
    },
    onHead: (head) => {
      read.status = head.status
      read.headers = head.headers
    },
    onData: (data) => {
      read.body += data.toString('latin1')
    },
    onEnd: () => {
      read.end = 'complete'
    },
    onProblem: () => {
      read.end = 'bad'
    },
  }
  const reader = createResponseReader(method, { bytes: bytesMax, more: null }, events, tolerate)
  for (const piece of pieces) reader.push(piece)
  reader.close()
  return read
}

/** Reads with `node:http`, without a network. */
export const readNodes = (pieces: readonly Buffer[], method = 'GET'): Promise<Read> =>
  new Promise((resolve) => {
    const read = nothing()
    const left = [...pieces]
    const connection = new Duplex({
      read() {
        // one piece per turn, as packets arrive; the end after the last
        setImmediate(() => this.push(left.shift() ?? null))
      },
      write: (_, __, done) => done(),
    })
    const finish = (end: Read['end']): void => {
      connection.destroy()
      resolve({ ...read, end })
    }
    const request = http.request({
      createConnection: () => connection,
      method,
      headers: { connection: 'close' },
      maxHeaderSize: 16_384,
    })
    let isComplete = (): boolean => false
    const onError = (error: NodeJS.ErrnoException): void => {
      // bytes after a complete response are an error for Node, but the response is complete
      if (!isComplete()) finish(error.code?.startsWith('HPE_') === true ? 'bad' : 'incomplete')
    }
    request.on('response', (response) => {
      isComplete = () => response.complete
      read.status = response.statusCode ?? 0
      read.headers = response.headers
      response.on('data', (data: Buffer) => {
        read.body += data.toString('latin1')
      })
      response.on('error', onError)
      response.on('close', () => finish(isComplete() ? 'complete' : 'incomplete'))
    })
    request.on('upgrade', () => finish('bad'))
    request.on('error', onError)
    request.on('close', () => {
      if (read.status === null) finish('incomplete')
    })
    request.end()
  })
