import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Called, Client } from './every-tool.ts'

const info = { name: 'a test', version: '1.0.0' }
/** The headers of every request of a client: its key and its address. */
export type Sent = Readonly<Record<string, string>>

type Result = { content?: unknown; structuredContent?: unknown; isError?: unknown }

const calledOf = ({ content, structuredContent, isError }: Result): Called => {
  const [block] = content as { type: string; text: string }[]
  return {
    isError: isError === true,
    text: block?.type === 'text' ? block.text : '',
    structured: structuredContent,
  }
}

/** The SDK's 1.x client, for protocol revisions that start with `initialize`. */
export const connectClient1 = async (url: string, headers: Sent): Promise<Client> => {
  const client = new Client1(info)
  const requestInit = { headers }
  // its types allow an undefined session id, which exactOptionalPropertyTypes does not
  await client.connect(new Transport1(new URL(url), { requestInit }) as never)
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => calledOf((await client.callTool({ name, arguments: args })) as Result),
    close: () => client.close(),
  }
}

/** The SDK's 2.x client, in either mode. */
export const connectClient2 = async (
  url: string,
  headers: Sent,
  mode: 'legacy' | 'modern',
): Promise<Client> => {
  const client = new Client2(info, {
    versionNegotiation: { mode: mode === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
  })
  await client.connect(new Transport2(new URL(url), { requestInit: { headers } }))
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => calledOf((await client.callTool({ name, arguments: args })) as Result),
    close: () => client.close(),
  }
}

const inspector = fileURLToPath(
  new URL(
    '../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
    import.meta.url,
  ),
)

/** The inspector's command line, with a process for each call. */
export const openInspector = async (url: string, headers: Sent): Promise<Client> => {
  const home = await mkdtemp(join(tmpdir(), 'inspector-'))
  const run = (args: readonly string[]) =>
    new Promise<string>((resolve, reject) => {
      const sent = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
      execFile(
        process.execPath,
        [inspector, '--cli', url, '--transport', 'http', ...args, ...sent],
        { env: { PATH: process.env['PATH'], HOME: home }, maxBuffer: 8 * 1024 * 1024 },
        (error, out, err) => (out === '' ? reject(new Error(err, { cause: error })) : resolve(out)),
      )
    })
  return {
    list: async () => {
      const { tools } = JSON.parse(await run(['--method', 'tools/list'])) as {
        tools: { name: string }[]
      }
      return tools.map(({ name }) => name)
    },
    call: async (name, args) => {
      const given = Object.entries(args).flatMap(([key, value]) => [
        '--tool-arg',
        `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ])
      return calledOf(
        JSON.parse(await run(['--method', 'tools/call', '--tool-name', name, ...given])) as Result,
      )
    },
    close: () => rm(home, { recursive: true, force: true }),
  }
}
