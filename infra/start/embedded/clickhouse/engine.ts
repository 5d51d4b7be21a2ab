import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { commandLine } from '../command-line.ts'

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '`': '\\`',
  '\0': '\\0',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

const escape = (text: string): string => text.replace(/[\\'`\0\n\r\t]/g, (char) => escapes[char] ?? char)

/** A ClickHouse string literal. */
export const literal = (text: string): string => `'${escape(text)}'`

/** A ClickHouse identifier, quoted. */
export const identifier = (name: string): string => `\`${escape(name)}\``

/** How long a previous process may still hold the directory while it ends. */
const directoryWaitMs = 30_000
const directoryPollMs = 50

/** One statement, which the engine runs on its own connection. */
export type Statement = {
  readonly database: string
  readonly settings: ReadonlyMap<string, string>
  /** Values in the text form of the HTTP interface: escaped as in TSV. */
  readonly parameters: ReadonlyMap<string, string>
  /** The format of results if the statement names none. */
  readonly format: string
  readonly text: Uint8Array
  /** The data of an insert if it is not in the text; any bytes. */
  readonly data: Uint8Array
  readonly kind: 'insert' | 'other'
}

export type Outcome = {
  readonly bytes: Uint8Array
  readonly rowsRead: number
  readonly bytesRead: number
  readonly rowsWritten: number
  readonly bytesWritten: number
}

export type Engine = {
  readonly version: string
  /** @throws Error whose message is ClickHouse's: `Code: 60. DB::Exception: ... (UNKNOWN_TABLE)` */
  run(statement: Statement): Promise<Outcome>
  close(): void
}

/** The addon's connection handle; opaque. */
type Connection = object
type Addon = {
  CreateConnection(path: string): Connection
  CloseConnection(connection: Connection): void
  QueryAsyncConnection(
    connection: Connection,
    text: string,
    format: string,
  ): Promise<{ bytes: Uint8Array; rowsRead: number; bytesRead: number }>
  InsertRawAsyncConnection(
    connection: Connection,
    prefix: string,
    data: Uint8Array,
    countLines: boolean,
  ): Promise<{ rowsWritten: number; bytesWritten: number }>
}

const advice = 'Set CLICKHOUSE_URL to a ClickHouse server instead.'

const packages: Readonly<Record<string, string>> = {
  'linux-x64': '@chdb/lib-linux-x64-gnu',
  'linux-arm64': '@chdb/lib-linux-arm64-gnu',
  'darwin-x64': '@chdb/lib-darwin-x64',
  'darwin-arm64': '@chdb/lib-darwin-arm64',
}

/** @throws Error with the alternative where chDB does not exist */
export const addonPackage = (system: { platform: string; arch: string }): string => {
  const key = `${system.platform}-${system.arch}`
  const name = packages[key]
  if (name === undefined) throw new Error(`chDB does not exist for ${key}. ${advice}`)
  return name
}

/**
 * Opens the one engine of this process on its directory. It bypasses chDB's JavaScript wrapper, which inserts
 * text formats only and runs one query with parameters at a time.
 */
export const openEngine = async (dataDir: string): Promise<Engine> => {
  const addon = loadAddon()
  // Stays open, so that opening and closing a connection per statement takes only 0.1 ms.
  const anchor = await openWhenFree(addon, dataDir)
  const version = await addon.QueryAsyncConnection(anchor, 'select version()', 'TSVRaw')
  return {
    version: Buffer.from(version.bytes).toString().trim(),
    run: async (statement) => {
      const connection = addon.CreateConnection(dataDir)
      try {
        await addon.QueryAsyncConnection(connection, preamble(statement), 'Null')
        return await execute(addon, connection, statement)
      } finally {
        addon.CloseConnection(connection)
      }
    },
    close: () => addon.CloseConnection(anchor),
  }
}

const loadAddon = (): Addon => {
  const name = addonPackage(process)
  try {
    // a dependency of chDB, so it is resolved from there
    return createRequire(createRequire(import.meta.url).resolve('chdb'))(name)
  } catch (cause) {
    throw new Error(`${name} cannot be loaded (${String(cause)}). ${advice}`, { cause })
  }
}

/** chDB does not report why it cannot open a directory. If another process still holds it, this waits. */
const openWhenFree = async (addon: Addon, dataDir: string): Promise<Connection> => {
  const end = performance.now() + directoryWaitMs
  let isHeld = true
  for (;;) {
    try {
      return addon.CreateConnection(dataDir)
    } catch (cause) {
      // The holder may have ended between the attempt and this query: only the second failure counts.
      const wasHeld = isHeld
      isHeld = await hasLivingHolder(dataDir)
      if ((!isHeld && !wasHeld) || performance.now() > end) {
        const why = isHeld ? 'another process holds it' : 'its log says why'
        throw new Error(`chDB cannot open ${dataDir}: ${why}`, { cause })
      }
      await wait(directoryPollMs)
    }
  }
}

/** The engine writes its process id next to its lock and does not remove it. */
const hasLivingHolder = async (dataDir: string): Promise<boolean> => {
  const status = await readFile(join(dataDir, 'status'), 'utf8').catch(() => '')
  const pid = Number(/^PID: (\d+)$/m.exec(status)?.[1] ?? 0)
  return pid > 0 && pid !== process.pid && (await commandLine(pid)) !== null
}

/**
 * Settings and parameters of a request exist only on its connection. The addon's own parameters would mix
 * those of concurrent statements.
 */
const preamble = (statement: Pick<Statement, 'database' | 'settings' | 'parameters'>): string => {
  const assignments = [
    ...[...statement.settings].map(([name, value]) => `${identifier(name)} = ${literal(value)}`),
    ...[...statement.parameters].map(([name, value]) => `${identifier(`param_${name}`)} = ${literal(value)}`),
  ]
  return `use ${identifier(statement.database)}; set ${assignments.join(', ')}`
}

const execute = async (addon: Addon, connection: Connection, statement: Statement): Promise<Outcome> => {
  const { text, data } = statement
  if (statement.kind === 'other') {
    const sql = Buffer.concat([text, data]).toString()
    const read = await addon.QueryAsyncConnection(connection, sql, statement.format)
    return { ...read, rowsWritten: 0, bytesWritten: 0 }
  }
  const nothing = { bytes: new Uint8Array(), rowsRead: 0, bytesRead: 0 }
  // Only the second argument preserves bytes, so text that contains data is passed there.
  const [prefix, body] = data.length > 0 ? [Buffer.from(text).toString(), data] : ['', text]
  try {
    const { rowsWritten, bytesWritten } = await addon.InsertRawAsyncConnection(
      connection,
      prefix,
      body,
      false,
    )
    return { ...nothing, rowsWritten, bytesWritten }
  } catch (error) {
    // Over HTTP an insert without rows is not an error.
    const isEmpty = error instanceof Error && error.message.includes('(NO_DATA_TO_INSERT)')
    if (isEmpty && data.length === 0) return { ...nothing, rowsWritten: 0, bytesWritten: 0 }
    throw error
  }
}
