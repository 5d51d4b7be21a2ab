import { NodeClient, Scope, defaultStackParser, makeNodeTransport } from '@sentry/node'

/** A client of @sentry/node without its hooks into this process. */
export type TestNodeClient = {
  client: NodeClient
  scope: Scope
  /** Sends waiting items. @throws Error after 10 s */
  flush(): Promise<void>
}

/**
 * A client that reports its drops at each flush; by default it does so once a minute and at the end of its
 * process.
 */
export const startNodeClient = (
  dsn: string,
  options: { release?: string; environment?: string } = {},
): TestNodeClient => {
  const client = new NodeClient({
    dsn,
    transport: makeNodeTransport,
    stackParser: defaultStackParser,
    integrations: [],
    release: 'shop@2.1.0',
    environment: 'staging',
    sendClientReports: true,
    ...options,
  })
  client.init()
  const scope = new Scope()
  scope.setClient(client)
  return {
    client,
    scope,
    flush: async () => {
      if (!(await client.flush(10_000))) throw new Error('the SDK did not flush its events')
    },
  }
}
