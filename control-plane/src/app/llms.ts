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
export const llmsText = (publicUrl: string, mcpUrl: string | null): string => {
  /** A page's Markdown form (S-1226). */
  const markdown = (path: string): string => `${publicUrl}${path}.md`
  return `# Probe Mesh

> Whether popular services are up, from our own probes in several regions. Every answer says what was
> read, when, and how fresh that is; "blocked" is never down, and no data is never healthy.

## Pages as Markdown

- [Services](${markdown('/services')}): every service that is measured, what is not up first; \`?q=\` searches
- [Is GitHub down?](${markdown('/services/github')}): one service, by name, alias or domain
- [A stack](${markdown('/stacks/web-shop')}): how many of its services are down or degraded
- [Internet weather](${markdown('/weather')}): response times by region beside the usual ones
- [Is the internet down?](${markdown('/internet')}): whether something that many services share is down

To cite one, leave out \`.md\`: the page for people says the same.

## Ask

JSON, without a key, 60 requests a minute and address.

- [The catalog](${publicUrl}/v1/public/services): every service, with its status
- [Status of a service](${publicUrl}/v1/public/services/github/status): by name, alias or domain
- [Readings by region](${publicUrl}/v1/public/services/github/readings): the newest of each region
- [What people report](${publicUrl}/v1/public/services/github/reports): beside our own reading
- [Past outages](${publicUrl}/v1/public/services/github/incidents): what our probes saw, and whether the vendor posted later
- [A stack](${publicUrl}/v1/public/stacks/web-shop): its services, and how many are down or degraded
- [Internet weather](${publicUrl}/v1/public/weather): response times by region beside the usual ones
- [Shared incidents](${publicUrl}/v1/public/internet): whether something that many services share is down

## Status pages

Every status page \`${publicUrl}/status/<slug>\` is there as Markdown (\`/status/<slug>.md\`) and JSON
(\`/status/<slug>/page.json\`, incidents of a month in \`history.json\`), with feeds of its incidents
(\`feed.atom\`, \`feed.rss\`) and a badge (\`badge.svg\`).
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

- [REST API](${publicUrl}/docs): reference
- [Who probes](${publicUrl}/probes.json): addresses and User-Agent of the probes, and how not to be probed
- [OpenAPI](${publicUrl}/v1/openapi.json): the same for programs
`
}
