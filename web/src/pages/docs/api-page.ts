import { card } from '../../html/components/card.ts'
import type { Assets } from '../../html/document.ts'
import { html } from '@probe-mesh/runtime/html'
import { codeBlock } from './code-block.ts'
import { docsPage } from './docs-page.ts'
import type { DocsSite } from './docs-site.ts'

const parts = [
  { id: 'key', title: 'Key' },
  { id: 'budgets', title: 'Budgets' },
  { id: 'repeat', title: 'Repeat a request' },
  { id: 'pages', title: 'Pages of a list' },
  { id: 'refusals', title: 'Refusals' },
] as const

/** Rules that apply to every operation. */
export const apiPage = (assets: Assets, site: DocsSite): string =>
  docsPage(assets, site, {
    title: 'REST API',
    description: 'How requests are sent, answered and refused.',
    path: '/docs/api',
    parts,
    main: html`<p class="lead">Root: <code>${site.apiUrl}</code>. Requests and answers are JSON in UTF-8.</p>
      <div class="cards">
        ${site.groups.map(({ name, title, about, endpoints }) =>
          card(
            { id: name, title, actions: html`<a href="/docs/api/${name}">Open</a>` },
            html`<p>${about}</p>
              <p class="muted">${endpoints.length} operations</p>`,
          ),
        )}
      </div>
      <h2 id="key">Key</h2>
      <p>
        Create a key in the dashboard at <a href="/dashboard/keys">API keys</a> and send it with each request.
        A key with the scope <code>read</code> may only read. Operations below <code>/public</code> need no
        key.
      </p>
      ${codeBlock('sh', `curl -s ${site.apiUrl}/me \\\n  -H "Authorization: Bearer $SERVICE_API_KEY"`, '')}
      <h2 id="budgets">Budgets</h2>
      <p>
        A key has a number of reads and of writes for each minute (<a href="/docs/plans">plans and limits</a
        >). Every answer has what is left in <code>RateLimit</code>. After 429 or 503 wait for the seconds in
        <code>Retry-After</code>.
      </p>
      <h2 id="repeat">Repeat a request</h2>
      <p>
        Every <code>POST</code> accepts an <code>Idempotency-Key</code> of your choice. A request repeated
        with the same key within 24 hours is executed once and gets the same answer.
      </p>
      <h2 id="pages">Pages of a list</h2>
      <p>
        Long lists answer with <code>nextCursor</code>. Send it as <code>cursor</code>, with the same filters,
        for the next page. On the last page it is <code>null</code>.
      </p>
      <h2 id="refusals">Refusals</h2>
      <p>
        A refusal is <code>application/problem+json</code> (RFC 9457). <code>code</code> is stable,
        <code>message</code> says what to do, and <code>errors</code> lists every problem of the input. All
        codes are on <a href="/docs/errors">one page</a>.
      </p>
      ${codeBlock(
        'json',
        JSON.stringify(
          {
            type: 'urn:probe-mesh:error:SV-2001',
            title: 'Invalid input',
            status: 422,
            detail: '"name": is missing.',
            code: 'SV-2001',
            message: '"name": is missing.',
            errors: [{ path: 'name', message: 'is missing' }],
          },
          null,
          2,
        ),
      )}`,
  })
