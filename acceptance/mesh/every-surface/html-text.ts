import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5'

export type Node = DefaultTreeAdapterTypes.ChildNode
type Element = DefaultTreeAdapterTypes.Element

const unread = new Set(['script', 'style', 'svg', 'template', 'head'])

/** A page as a tree. */
export const treeOf = (source: string): readonly Node[] => parseFragment(source).childNodes

/** The text that people and screen readers get, with single spaces. */
export const textOf = (nodes: readonly Node[]): string => raw(nodes).replaceAll(/\s+/g, ' ').trim()

const raw = (nodes: readonly Node[]): string =>
  nodes
    .map((node) => {
      if ('value' in node) return node.value
      return 'childNodes' in node && !unread.has(node.nodeName) ? `${raw(node.childNodes)} ` : ''
    })
    .join('')

/** All elements in the order of the page that a predicate selects. */
export const select = (
  nodes: readonly Node[],
  wanted: (name: string, attribute: (name: string) => string | null) => boolean,
): Element[] =>
  nodes.flatMap((node) => {
    if (!('tagName' in node) || unread.has(node.tagName)) return []
    const found = wanted(node.tagName, (name) => attributeOf(node, name)) ? [node] : []
    return [...found, ...select(node.childNodes, wanted)]
  })

export const attributeOf = (element: Element, name: string): string | null =>
  element.attrs.find((one) => one.name === name)?.value ?? null

export const hasClass =
  (tag: string | null, name: string) =>
  (of: string, attribute: (name: string) => string | null): boolean =>
    (tag === null || tag === of) && (attribute('class') ?? '').split(/\s+/).includes(name)
