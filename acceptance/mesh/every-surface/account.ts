import type { Client } from '../../mcp/every-tool.ts'
import type { Act } from '../../web/system/client.ts'
import type { Moment, PageStatement } from './statement.ts'

/** How an account's own surfaces are reached. */
export type Account = {
  apiUrl: string
  /** One for each kind of client, as each has a budget of its own. */
  keys: Readonly<Record<'rest' | 'list' | 'cli', string>>
  act: Act
  cookie: string
  mcp: Client
}

/** What was read of an account's surfaces. */
export type Read = Pick<Moment, 'statements' | 'pages'>

/** What a surface says about the whole account. */
export const accountSays = (surface: string, sentence: string): PageStatement => ({
  surface,
  page: 'account',
  sentence,
})
