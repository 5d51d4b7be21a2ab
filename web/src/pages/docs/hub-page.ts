import { refusals } from '@probe-mesh/contracts/schema/refusal'
import { card } from '../../html/components/card.ts'
import type { Assets } from '../../html/document.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { codeBlock } from './code-block.ts'
import { docsPage, docsSearch } from './docs-page.ts'
import { titleOfOperation, type DocsSite } from './docs-site.ts'
import { methodAndPath } from './endpoint-words.ts'
import { guideGroups, type GuideGroup } from './guide-list.ts'
import { entriesOf, found, foundList } from './search.ts'

/** The entry page of the documentation: a search, the guides, and all operations and codes in one list. */
export const hubPage = (assets: Assets, site: DocsSite, typed: string): string =>
  docsPage(assets, site, {
    title: 'Documentation',
    description: 'Guides, the REST API with examples, error codes and the tools for assistants.',
    path: '/docs',
    main: html`${docsSearch(typed)}
      <div data-found>${typed.trim() !== '' && foundList(found(entriesOf(site), typed))}</div>
      <div data-unless-found ${typed.trim() !== '' && html`hidden`}>${overview(site)}</div>`,
  })

const overview = (site: DocsSite): Html =>
  html`${start(site)}
    <div class="cards">
      ${guideGroups.slice(0, 2).map(guidesCard)} ${referenceCard} ${guideGroups.slice(2).map(guidesCard)}
    </div>
    <section aria-labelledby="operations">
      <h2 id="operations">Every operation</h2>
      <div class="docs-columns">${site.groups.map(groupOf)}</div>
    </section>
    <section aria-labelledby="codes">
      <h2 id="codes">Error codes</h2>
      <ul class="docs-codes">
        ${Object.entries(refusals).map(
          ([code, { title }]) =>
            html`<li id="${code}"><a href="/docs/errors#${code}">${code}</a> ${title}</li>`,
        )}
      </ul>
    </section>`

const guidesCard = ({ title, guides }: GuideGroup): Html =>
  card(
    { id: `guides-${title.toLowerCase().replaceAll(' ', '-')}`, title },
    html`<ul class="docs-list">
      ${guides.map(
        (guide) =>
          html`<li><a href="/docs/${guide.slug}">${guide.title}</a> <span>${guide.about}</span></li>`,
      )}
    </ul>`,
  )

const referenceCard = card(
  { id: 'reference', title: 'API reference' },
  html`<ul class="docs-list">
    <li><a href="/docs/api">Requests and answers</a> <span>Key, budgets, pages, refusals</span></li>
    <li><a href="#operations">Every operation</a> <span>With schemas and examples</span></li>
    <li><a href="/docs/errors">Error codes</a> <span>What each means, and what to do</span></li>
    <li><a href="/docs/mcp-tools">MCP tools</a> <span>What assistants can call</span></li>
    <li><a href="/v1/openapi.json">OpenAPI 3.1</a> <span>The same for programs</span></li>
  </ul>`,
)

const start = ({ apiUrl }: DocsSite): Html =>
  html`<p class="lead">Is GitHub up? Ask without a key:</p>
    ${codeBlock('sh', `curl -s ${apiUrl}/public/services/github/status`, '')}`

/** Operations keep their ids of the earlier single-page reference, so old links still work. */
const groupOf = ({ name, title, endpoints }: DocsSite['groups'][number]): Html =>
  html`<section aria-labelledby="of-${name}">
    <h3 id="of-${name}"><a href="/docs/api/${name}">${title}</a></h3>
    <ul class="docs-list">
      ${endpoints.map(
        (endpoint) =>
          html`<li id="${endpoint.operation.operationId}">
            <a href="/docs/api/${name}#${endpoint.operation.operationId}">${titleOfOperation(endpoint)}</a>
            ${methodAndPath(endpoint)}
          </li>`,
      )}
    </ul>
  </section>`
