import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { createAdmission } from './admission.ts'
import { createBodyReader } from './body.ts'
import type { Engine, Outcome } from './engine.ts'
import { FacadeException, exceptionResponse } from './exception.ts'
import { isAuthorized, parseStatement } from './request.ts'

const pack = promisify(gzip)

/** Concurrent statements; the engine runs each on several threads. */
export const runningMax = 8
const waitingMax = 256
const connectionsMax = 512
/** The same time for which ClickHouse keeps an idle connection. */
const keepAliveMs = 10_000
const requestMs = 300_000
const gzipLevel = 3

export type Facade = {
  readonly server: Server
  /** Refuses new requests and resolves when the running ones are answered. */
  drain(): Promise<void>
}

/**
 * The part of ClickHouse's HTTP interface that `@clickhouse/client` and health checks use, on the engine of
 * this process. Every request needs the password.
 */
export const createFacade = (options: { engine: Engine; user: string; password: string }): Facade => {
  const { engine, user, password } = options
  const bodies = createBodyReader()
  const admission = createAdmission({ runningMax, waitingMax })

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isAuthorized(request.headers, { user, password })) {
      throw new FacadeException(
        516,
        'AUTHENTICATION_FAILED',
        'Authentication failed: password is incorrect, or there is no user with such name',
      )
    }
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname === '/ping') return void response.end('Ok.\n')
    if (url.pathname !== '/') return void response.writeHead(404).end('There is no such handler\n')
    const { body, release } = await bodies.read(request)
    try {
      const statement = parseStatement(url.searchParams, request.headers, body)
      const leave = await admission.enter()
      try {
        // A client that disconnected while waiting does not need the statement any more.
        if (response.destroyed) return
        const startedAt = performance.now()
        const outcome = await engine.run(statement)
        const queryId = url.searchParams.get('query_id') ?? randomUUID()
        describe(response, outcome, { queryId, tookMs: performance.now() - startedAt })
        await send(request, response, outcome.bytes, url.searchParams)
      } finally {
        leave()
      }
    } finally {
      release()
    }
  }

  const server = createServer({ keepAliveTimeout: keepAliveMs, requestTimeout: requestMs })
  server.maxConnections = connectionsMax
  server.on('request', (request, response) => {
    answer(request, response).catch((error: unknown) => refuse(request, response, error, engine.version))
  })
  return {
    server,
    drain: async () => {
      server.close()
      server.closeIdleConnections()
      await admission.idle()
    },
  }
}

/** Sets the headers with the query id and the statistics of the statement. */
const describe = (
  response: ServerResponse,
  outcome: Outcome,
  about: { queryId: string; tookMs: number },
): void => {
  response.setHeader('X-ClickHouse-Query-Id', about.queryId)
  response.setHeader('X-ClickHouse-Timezone', 'UTC')
  // Numbers are strings, as the server writes them: they may exceed exact JSON integers.
  const summary = {
    read_rows: String(outcome.rowsRead),
    read_bytes: String(outcome.bytesRead),
    written_rows: String(outcome.rowsWritten),
    written_bytes: String(outcome.bytesWritten),
    total_rows_to_read: '0',
    result_rows: '0',
    result_bytes: String(outcome.bytes.length),
    elapsed_ns: String(Math.round(about.tookMs * 1e6)),
  }
  response.setHeader('X-ClickHouse-Summary', JSON.stringify(summary))
}

const send = async (
  request: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array,
  url: URLSearchParams,
): Promise<void> => {
  const accepted = request.headers['accept-encoding'] ?? ''
  if (url.get('enable_http_compression') === '1' && String(accepted).includes('gzip')) {
    const packed = await pack(bytes, { level: gzipLevel })
    response.setHeader('Content-Encoding', 'gzip')
    return void response.end(packed)
  }
  response.end(bytes)
}

const refuse = (
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  version: string,
): void => {
  if (response.destroyed || response.headersSent) return void response.destroy()
  const message = error instanceof Error ? error.message : String(error)
  const { status, code, body } = exceptionResponse(message, version)
  // The rest of an unread body would be parsed as the next request.
  if (!request.complete) response.setHeader('Connection', 'close')
  response.writeHead(status, { 'X-ClickHouse-Exception-Code': code }).end(body)
}
