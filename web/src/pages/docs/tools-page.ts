import { answerRoutes } from '@probe-mesh/contracts/outage/answer-routes'
import { routes } from '@probe-mesh/contracts/api/routes'
import { argumentOf, toolsOf, type Tool } from '@probe-mesh/contracts/api/tools'
import type { Assets } from '../../html/document.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { codeBlock } from './code-block.ts'
import { docsPage } from './docs-page.ts'
import type { ApiGroup, DocsSite } from './docs-site.ts'
import { inlineCode } from './inline-code.ts'
import { fieldList, fieldsOf, type Field } from './schema-view.ts'

/** The tools that assistants call through the gateway, with their arguments. */
export const toolsPage = (assets: Assets, site: DocsSite): string => {
  const open = new Set(toolsOf.public.map(({ name }) => name))
  const own = toolsOf.mcp.filter(({ name }) => !open.has(name))
  return docsPage(assets, site, {
    title: 'MCP tools',
    description: 'What Claude, Cursor and other assistants can call.',
    path: '/docs/mcp-tools',
    parts: [
      { id: 'open', title: 'Outages, without a key' },
      { id: 'account', title: 'Your account, with a key' },
    ],
    main: html`<p class="lead">
        ${toolsOf.mcp.length} tools for assistants. <a href="/docs/assistants">Connect one</a> first.
      </p>
      ${
        site.mcpUrl !== null &&
        codeBlock(
          'sh',
          `claude mcp add --transport http probe-mesh ${site.mcpUrl}/mcp --header "Authorization: Bearer $SERVICE_API_KEY"`,
          '',
        )
      }
      <h2 id="open">Outages, without a key</h2>
      ${toolsOf.public.map((tool) => toolOf(tool, site))}
      <h2 id="account">Your account, with a key</h2>
      ${own.map((tool) => toolOf(tool, site))}`,
  })
}

const toolOf = (tool: Tool, site: DocsSite): Html => {
  const fields = argumentsOf(tool, site.groups)
  const { readOnlyHint, destructiveHint } = tool.annotations
  const effect = readOnlyHint ? 'reads' : destructiveHint ? 'changes or deletes' : 'adds'
  return html`<section class="card" aria-labelledby="${tool.name}">
    <div class="card-head">
      <h3 id="${tool.name}">${tool.title}</h3>
      <p><code>${tool.name}</code> <span class="muted">${effect}</span></p>
    </div>
    <p>${inlineCode(tool.description)}</p>
    ${
      fields.length > 0 &&
      html`<details>
        <summary>${fields.length} ${fields.length === 1 ? 'argument' : 'arguments'}</summary>
        ${fieldList(fields, site.api.components.schemas, { marksRequired: true })}
      </details>`
    }
  </section>`
}

const named: readonly (readonly [string, unknown])[] = Object.entries({ ...routes, ...answerRoutes })

/** Path, query and body of the route, under the tool's names. */
const argumentsOf = (tool: Tool, groups: readonly ApiGroup[]): Field[] => {
  const id = named.find(([, route]) => route === tool.route)?.[0]
  const operation = groups
    .flatMap(({ endpoints }) => endpoints)
    .find((each) => each.operation.operationId === id)?.operation
  if (operation === undefined) return []
  const { hidden = [], required = [] } = tool
  const body = operation.requestBody?.content['application/json']?.schema
  const fields: Field[] = [
    ...(operation.parameters ?? [])
      .filter((each) => each.in !== 'header')
      .map(({ name, schema, required: isRequired, description }) => ({
        name: argumentOf(tool, name),
        schema,
        isRequired,
        ...(description === undefined ? {} : { description }),
      })),
    ...(body === undefined ? [] : fieldsOf(body)),
  ]
  return fields
    .filter(({ name }) => !hidden.includes(name))
    .map((field) => ({ ...field, isRequired: field.isRequired || required.includes(field.name) }))
}
