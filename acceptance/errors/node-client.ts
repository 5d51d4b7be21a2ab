import { NodeClient, Scope, defaultStackParser, makeNodeTransport } from '@sentry/node'

/** A client as `init` of @sentry/node makes it, without its hooks into this process. */
export type TestNodeClient = {
  client: NodeClient
  scope: Scope
  /** Sends what waits. @throws Error where that takes 10 s */
  flush(): Promise<void>
}

/** What it throws away it reports at each flush, as it does once a minute and at the end of its process. */
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
