import type { Socket } from 'node:net'

/** A case that a server on the loopback plays. */
export type Case = {
  /** Its irregularity. */
  name: string
  /** The rule it exercises. */
  rule: string
  /** Where it was published or reported as a bug; absent: our own. */
  source?: string
  answer: Answer
  /** Why our answer differs from one that Chromium and curl agree on. Only for safety. */
  exception?: string
}

/** Text is sent as latin1, then the connection ends. Several pages are by path. */
export type Answer = string | Buffer | Pages | Plays

type Pages = Readonly<Record<string, string>>
export type Plays = (socket: Socket, request: { path: string; head: string; cookie: string }) => void

export type CaseClass = { name: string; cases: readonly Case[] }

export const head = 'HTTP/1.1 200 OK\r\n'
export const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`
export const ok = `${head}Content-Length: 2\r\n\r\nok`

/** Ends neither the answer nor the connection. */
export const holds =
  (text: string): Plays =>
  (socket) =>
    void socket.write(text, 'latin1')

export const resetsAfter =
  (text: string): Plays =>
  (socket) => {
    socket.write(text, 'latin1', () => setTimeout(() => socket.resetAndDestroy(), 30))
  }

export const of =
  (rule: string, source?: string) =>
  (name: string, answer: Answer): Case => ({
    name,
    rule,
    ...(source === undefined ? {} : { source }),
    answer,
  })
