import { refusals } from '@probe-mesh/contracts/schema/refusal'
import { facts } from '../../html/components/card.ts'
import type { Assets } from '../../html/document.ts'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import type { Endpoint, Media, OpenApi, Schema } from '../../api/open-api.ts'
import { codeBlock } from './code-block.ts'
import { docsPage } from './docs-page.ts'
import { titleOfOperation, type ApiGroup, type DocsSite } from './docs-site.ts'
import { methodAndPath } from './endpoint-words.ts'
import { onlyClient, requestExamples, sampleOf } from './request-examples.ts'
import { fieldList, fieldsOf, objectsOf, typeText, variantName } from './schema-view.ts'

/** All operations of one API noun: input, answers, refusals and examples. */
export const groupPage = (assets: Assets, site: DocsSite, group: ApiGroup): string =>
  docsPage(assets, site, {
    title: `${group.title} API`,
    description: group.about,
    path: `/docs/api/${group.name}`,
    parts: group.endpoints.map((endpoint) => ({
      id: endpoint.operation.operationId,
      title: titleOfOperation(endpoint),
    })),
    main: html`<p class="lead">${group.about}</p>
      ${group.endpoints.map((endpoint) => operationOf(endpoint, site.api))}`,
  })

const operationOf = (endpoint: Endpoint, api: OpenApi): Html => {
  const { operation } = endpoint
  const id = operation.operationId
  return html`<section class="operation" aria-labelledby="${id}">
    <div>
      <h2 id="${id}">${titleOfOperation(endpoint)}</h2>
      <p>${methodAndPath(endpoint)}</p>
      ${operation.summary !== titleOfOperation(endpoint) && html`<p>${operation.summary}.</p>`}
      ${termsOf(endpoint)} ${takenOf(endpoint, api)} ${answeredOf(endpoint, api)} ${refusedOf(endpoint)}
    </div>
    <div class="examples">${examplesOf(endpoint, api)}</div>
  </section>`
}

const budgetWords = {
  reads: 'Reads',
  writes: 'Writes',
  keyless: 'Keyless, for each address',
} as const

const termsOf = (endpoint: Endpoint): Html => {
  const { 'x-scope': scope, 'x-budget': budget } = endpoint.operation
  const client = onlyClient(endpoint)
  return facts([
    ['Key', scope === null ? 'None' : html`Scope <code>${scope}</code>`],
    ['Budget', budget === null ? 'None' : budgetWords[budget]],
    ['Client', client === null ? null : html`Only <code>${client}</code>`],
  ])
}

const takenOf = ({ operation }: Endpoint, { components }: OpenApi): Html => {
  const { parameters = [], requestBody } = operation
  const places = { path: 'Path', query: 'Query', header: 'Headers' } as const
  const body = requestBody?.content['application/json']?.schema
  return html`${Object.entries(places).map(([place, title]) => {
    const fields = parameters
      .filter((each) => each.in === place)
      .map(({ name, schema, required, description }) => ({
        name,
        schema,
        isRequired: required,
        ...(description === undefined ? {} : { description }),
      }))
    return (
      fields.length > 0 &&
      html`<h3>${title}</h3>
        ${fieldList(fields, components.schemas, { marksRequired: true })}`
    )
  })}
  ${
    body !== undefined &&
    html`<h3>Body</h3>
      ${variants(body, components.schemas, { marksRequired: true })}`
  }`
}

const answerOf = ({ operation }: Endpoint): { status: string; media: Media } | null => {
  const [status = '', response] =
    Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? []
  const media = Object.values(response?.content ?? {})[0]
  return media === undefined ? null : { status, media }
}

const answeredOf = (endpoint: Endpoint, { components }: OpenApi): Html | null => {
  const answer = answerOf(endpoint)
  if (answer === null) return null
  return html`<h3>Answer ${answer.status}</h3>
    ${variants(answer.media.schema, components.schemas, { marksRequired: false })}`
}

const answerFieldsShownMax = 8

/** The fields of a body or an answer, separately for each variant. */
const variants = (
  schema: Schema,
  schemas: OpenApi['components']['schemas'],
  options: { marksRequired: boolean },
): Piece => {
  const objects = objectsOf(schema, { schemas, around: [] })
  const [only] = objects
  if (only === undefined) return html`<p>${typeText(schema, schemas)}</p>`
  if (objects.length === 1) {
    const fields = fieldsOf(only.object)
    const list = fieldList(fields, schemas, options)
    // the example shows most of a long answer
    const isLong = !options.marksRequired && fields.length > answerFieldsShownMax
    return isLong
      ? html`<details>
          <summary>${fields.length} fields</summary>
          ${list}
        </details>`
      : list
  }
  return objects.map(({ object, name }, at) => {
    const label =
      variantName(object) ??
      name ??
      `With ${Object.keys(object.properties ?? {})
        .slice(0, 3)
        .join(', ')}`
    return html`<details ${at === 0 && html`open`}>
      <summary>${label}</summary>
      ${fieldList(fieldsOf(object), schemas, options)}
    </details>`
  })
}

const refusedOf = ({ operation }: Endpoint): Html => {
  const codes = Object.entries(refusals).filter(([code]) => operation['x-refusals'].includes(code))
  return html`<details>
    <summary>${codes.length} error codes</summary>
    <ul class="docs-codes">
      ${codes.map(
        ([code, { status, title }]) =>
          html`<li>
            <a href="/docs/errors#${code}">${code}</a> <span class="muted">${status}</span> ${title}
          </li>`,
      )}
    </ul>
  </details>`
}

const examplesOf = (endpoint: Endpoint, { components }: OpenApi): Html => {
  const { operationId } = endpoint.operation
  const answer = answerOf(endpoint)
  const isJson = answer !== null && requestExamples(endpoint).length > 0
  return html`${requestExamples(endpoint).map(
    ({ name, language, code }, at) =>
      html`<details name="request-${operationId}" ${at === 0 && html`open`}>
        <summary>${name}</summary>
        ${codeBlock(language, code, '')}
      </details>`,
  )}
  ${
    isJson &&
    html`<details open>
      <summary>Answer</summary>
      ${codeBlock('json', JSON.stringify(sampleOf(answer.media.schema, components.schemas), null, 2))}
    </details>`
  }`
}
