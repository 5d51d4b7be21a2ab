import type { Provider } from '../protocol/resource.ts'
import type { Attribute, Schema } from '../protocol/schema.ts'
import type { Type } from '../protocol/value.ts'

/** A page of the reference, below `terraform/docs`. */
type Page = { path: string; text: string }

/** The reference of a provider: a page for itself, each resource and each data source. */
export const referenceOf = (provider: Provider<unknown>): Page[] => [
  { path: 'index.md', text: indexPage(provider) },
  ...provider.resources.map(({ name, schema }) => ({
    path: `resources/${shortName(name)}.md`,
    text: page(name, 'resource', schema),
  })),
  ...provider.dataSources.map(({ name, schema }) => ({
    path: `data-sources/${shortName(name)}.md`,
    text: page(name, 'data source', schema),
  })),
]

const shortName = (name: string): string => name.replace(/^service_/, '')

const indexPage = ({ schema, resources, dataSources }: Provider<unknown>): string =>
  [
    '# Provider service',
    '',
    schema.description,
    '',
    ...attributeTables(schema),
    '## Resources and data sources',
    '',
    ...resources.map(({ name }) => `- [${name}](resources/${shortName(name)}.md)`),
    ...dataSources.map(({ name }) => `- [data.${name}](data-sources/${shortName(name)}.md)`),
    '',
  ].join('\n')

const page = (name: string, kind: string, schema: Schema): string =>
  [`# ${name} (${kind})`, '', schema.description, '', ...attributeTables(schema)].join('\n')

const attributeTables = ({ attributes }: Schema): string[] => {
  const all = Object.entries(attributes)
  const isConfigured = ({ presence }: Attribute): boolean => presence !== 'computed'
  return [
    ...section(
      'Arguments',
      all.filter(([, each]) => isConfigured(each)),
    ),
    ...section(
      'Attributes',
      all.filter(([, each]) => !isConfigured(each)),
    ),
  ]
}

const section = (title: string, attributes: readonly [string, Attribute][]): string[] =>
  attributes.length === 0
    ? []
    : [
        `## ${title}`,
        '',
        '| name | type | | |',
        '| --- | --- | --- | --- |',
        ...attributes.map(
          ([name, each]) =>
            `| \`${name}\` | ${typeName(each.type)} | ${remarksOf(each)} | ${each.description.replaceAll('|', '\\|')} |`,
        ),
        '',
      ]

const remarksOf = (attribute: Attribute): string =>
  [
    ...(attribute.presence === 'required' ? ['required'] : []),
    ...(attribute.replaces === true ? ['replaces'] : []),
    ...(attribute.isSensitive === true ? ['sensitive'] : []),
    ...(attribute.isWriteOnly === true ? ['write-only'] : []),
  ].join(', ')

const typeName = (type: Type): string => {
  if (typeof type === 'string') return type
  const [kind, inner] = type
  if (kind === 'object') return `object of ${Object.keys(inner).join(', ')}`
  if (kind === 'tuple') return 'tuple'
  return `${kind} of ${typeName(inner)}`
}
