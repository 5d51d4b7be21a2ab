import { pause } from '@probe-mesh/runtime/pause'
import type { runCommandLine } from '@probe-mesh/cli/src/command-line/create-program'
import type { Client } from '../../mcp/every-tool.ts'
import type { Act } from '../../web/system/client.ts'
import type { Moment, PageStatement } from './statement.ts'

/** `top` on a terminal of this process. */
export type Top = {
  /** What it shows, once it is as wanted. */
  shown(isReady: (text: string) => boolean): Promise<string>
  leave(): Promise<void>
}

/** `top` on two terminals: on its screen, and in the sentences of a screen reader. */
export type Tops = { screen: Top; reader: Top; leave(): Promise<void> }

/** How an account's own surfaces are reached. */
export type Account = {
  apiUrl: string
  /** One for each kind of client, as each has a budget of its own. */
  keys: Readonly<Record<'rest' | 'list' | 'cli', string>>
  act: Act
  cookie: string
  mcp: Client
  /** Left open from the start. */
  tops: Tops
}

/** What commands need of it. */
export type Commanded = Pick<Account, 'apiUrl' | 'keys'>

/** What was read of an account's surfaces. */
export type Read = Pick<Moment, 'statements' | 'pages'>

/** What a surface says about the whole account. */
export const accountSays = (surface: string, sentence: string): PageStatement => ({
  surface,
  page: 'account',
  sentence,
})

/** For commands in this process, as in a pipe. */
export const commandContext = (
  { apiUrl, keys }: Commanded,
  environment: Readonly<Record<string, string>> = {},
): {
  context: Parameters<typeof runCommandLine>[1]
  written: { out: string; err: string }
  interrupt(): void
} => {
  const written = { out: '', err: '' }
  const interrupted = new AbortController()
  const output = (to: 'out' | 'err') => ({
    write: (text: string) => void (written[to] += text),
    isTerminal: false,
    hasColours: false,
    columns: 200,
  })
  const context = {
    environment: { SERVICE_API_URL: apiUrl, SERVICE_API_KEY: keys.cli, LANG: 'C.UTF-8', ...environment },
    out: output('out'),
    err: output('err'),
    readInput: () => Promise.resolve(''),
    fetch,
    now: Date.now,
    pause: (ms: number) => pause(ms),
    signal: interrupted.signal,
  }
  return { context, written, interrupt: () => interrupted.abort(new Error('interrupted')) }
}
