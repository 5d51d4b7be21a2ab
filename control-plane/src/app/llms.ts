import type { FastifyInstance } from 'fastify'

/** `/llms.txt`: a guide to this site for assistants (llmstxt.org). */
export const bindLlms = (
  app: FastifyInstance,
  { publicUrl, mcpUrl }: { publicUrl: string; mcpUrl: string | null },
): void => {
  const text = llmsText(publicUrl, mcpUrl)
  app.get('/llms.txt', (_request, reply) =>
    reply.header('content-type', 'text/markdown; charset=utf-8').send(text),
  )
}

/** The text. */
export const llmsText = (publicUrl: string, mcpUrl: string | null): string => {
  /** A page's Markdown form (S-1226). */
  const markdown = (path: string): string => `${publicUrl}${path}.md`
  return `# Probe Mesh

> Whether popular services are up, measured by our own probes in several regions. Every answer states what
> was measured, when, and how fresh it is. "Blocked" is never down, and no data is never healthy.

## Pages as Markdown

- [Services](${markdown('/services')}): all measured services, those that are not up first; \`?q=\` searches
- [Is GitHub down?](${markdown('/services/github')}): one service, by name, alias or domain
- [A stack](${markdown('/stacks/web-shop')}): how many of its services are down or degraded
- [Internet weather](${markdown('/weather')}): response times by region, compared with the usual ones
- [Is the internet down?](${markdown('/internet')}): whether a shared dependency of many services is down

To cite a page, leave out \`.md\`: the page for people has the same content.

## Query

JSON, without a key, 60 requests a minute for each address.

- [The catalog](${publicUrl}/v1/public/services): every service, with its status
- [Status of a service](${publicUrl}/v1/public/services/github/status): by name, alias or domain
- [Readings by region](${publicUrl}/v1/public/services/github/readings): the newest reading of each region
- [User reports](${publicUrl}/v1/public/services/github/reports): the number of reports, with our own reading
- [Past outages](${publicUrl}/v1/public/services/github/incidents): outages that our probes measured, and whether the vendor posted later
- [A stack](${publicUrl}/v1/public/stacks/web-shop): its services, and how many are down or degraded
- [Internet weather](${publicUrl}/v1/public/weather): response times by region, compared with the usual ones
- [Shared incidents](${publicUrl}/v1/public/internet): whether a shared dependency of many services is down

## Status pages

Every status page \`${publicUrl}/status/<slug>\` is available as Markdown (\`/status/<slug>.md\`) and JSON
(\`/status/<slug>/page.json\`, incidents of a month in \`history.json\`). It has incident feeds (\`feed.atom\`,
\`feed.rss\`), a calendar of its maintenance (\`maintenance.ics\`) and a badge (\`badge.svg\`). An incident has
its own page, \`/status/<slug>/incidents/<id>\`.
${
  mcpUrl === null
    ? ''
    : `
## Tools

- ${mcpUrl}/public: MCP over HTTP, 7 outage tools, no key needed
- ${mcpUrl}/mcp: MCP over HTTP, the same and 17 account tools, with an API key
`
}
## Optional

- [Documentation](${publicUrl}/docs): guides, the REST API with examples, error codes
- [About the probes](${publicUrl}/probes.json): addresses and User-Agent of the probes, and how to opt out
- [OpenAPI](${publicUrl}/v1/openapi.json): the machine-readable reference
`
}
