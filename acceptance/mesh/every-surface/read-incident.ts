import type { PublicIncidentDocument } from '@probe-mesh/contracts/status-page/public-page'
import { attributeOf, hasClass, select, textOf, treeOf } from './html-text.ts'
import { incidentStatements } from './read-account.ts'
import type { Statement, Text } from './statement.ts'

/** How a public page is read. */
export type PageReader = {
  language: Text['language']
  /** @param path below the page */
  read(path: string): Promise<string>
  /** The state that words of the page's language mean. */
  stateOf(words: string): string
}

/** The page of one incident, its JSON, and its Markdown, which is English. */
export const readIncident = async (
  { language, read, stateOf }: PageReader,
  id: string,
): Promise<{ statements: Statement[]; texts: Text[] }> => {
  const name = (form: string): string => `${language} incident ${form}`
  const { incident, components } = JSON.parse(await read(`/incidents/${id}.json`)) as PublicIncidentDocument
  const page = select(treeOf(await read(`/incidents/${id}`)), (tag) => tag === 'main')
  const [startedAt, resolvedAt = null] = select(page, hasClass('div', 'card'))
    .flatMap((card) => select([card], (tag) => tag === 'time'))
    .map((time) => attributeOf(time, 'datetime'))
  const affected = select(page, hasClass('ul', 'affected')).flatMap((list) =>
    select([list], (tag) => tag === 'li'),
  )
  const markdown = await read(`/incidents/${id}.md`)
  const [, began, resolved] = /^.*Began (\S+ \S+) UTC(?:, resolved (\S+ \S+) UTC)?\./m.exec(markdown) ?? []
  if (!startedAt || began === undefined)
    throw new Error(`incident ${id} has no begin: ${textOf(page)} ${markdown}`)
  const instant = (words: string): string => `${words.replace(' ', 'T')}Z`
  return {
    statements: [
      ...incidentStatements(name('JSON'), incident),
      ...incidentStatements(name('HTML'), { id, startedAt, resolvedAt }),
      ...incidentStatements(name('Markdown'), {
        id,
        startedAt: instant(began),
        resolvedAt: resolved === undefined ? null : instant(resolved),
      }),
      ...components.map(({ displayName, state }) => ({ surface: name('JSON'), check: displayName, state })),
      ...affected.map((row) => {
        const tags = select([row], hasClass('strong', 'tag'))
        const words = textOf(tags)
        return {
          surface: name('HTML'),
          check: textOf([row]).slice(0, -words.length - 1),
          state: stateOf(words),
        }
      }),
    ],
    texts: [
      { surface: name('HTML'), language, text: textOf(page) },
      {
        surface: name('JSON'),
        language,
        text: [incident.title, ...incident.updates.map(({ body }) => body)].join('\n'),
      },
    ],
  }
}
