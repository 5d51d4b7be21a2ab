import type { FastifyInstance } from 'fastify'

/** `/llms.txt`: what an assistant that reads this site should know of it (llmstxt.org). */
export const bindLlms = (
  app: FastifyInstance,
  { publicUrl, mcpUrl }: { publicUrl: string; mcpUrl: string | null },
): void => {
  const text = llmsText(publicUrl, mcpUrl)
  app.get('/llms.txt', (_request, reply) =>
    reply.header('content-type', 'text/markdown; charset=utf-8').send(text),
  )
}

/** Pure: the same addresses make the same text. */
export const llmsText = (publicUrl: string, mcpUrl: string | null): string => `# Probe Mesh

> Whether popular services are up, from our own probes in several regions. Every answer says what was
> read, when, and how fresh that is; "blocked" is never down, and no data is never healthy.

## Ask

- [Is it down?](${publicUrl}/services): every service that is measured, with a page to cite for each
- [Status of a service](${publicUrl}/v1/public/services/github/status): JSON, by name, alias or domain; no key
- [Readings by region](${publicUrl}/v1/public/services/github/readings): JSON
- [What people report](${publicUrl}/v1/public/services/github/reports): JSON, beside our own reading
- [Past outages](${publicUrl}/v1/public/services/github/incidents): JSON
- [Internet weather](${publicUrl}/v1/public/weather): JSON, response times by region beside the usual ones
- [Shared incidents](${publicUrl}/v1/public/internet): JSON, whether something that many services share is down
${
  mcpUrl === null
    ? ''
    : `
## Tools

- ${mcpUrl}/public: MCP over HTTP, 7 outage tools without a key
- ${mcpUrl}/mcp: MCP over HTTP, those and 17 account tools, with an API key
`
}
## Optional

- [REST API](${publicUrl}/docs): reference, with OpenAPI at ${publicUrl}/v1/openapi.json
`
