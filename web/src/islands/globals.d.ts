// Globals that the first two parts of the script define for all others (http/assets.ts).

declare const Idiomorph: {
  morph(
    old: Element,
    next: Node | Iterable<Node> | string,
    config?: {
      morphStyle?: 'innerHTML' | 'outerHTML'
      ignoreActive?: boolean
      ignoreActiveValue?: boolean
      restoreFocus?: boolean
      callbacks?: {
        beforeNodeMorphed?: (old: Element, next: Node) => boolean
        beforeNodeRemoved?: (node: Node) => boolean
      }
    },
  ): void
}

/** Fetches a page of this site; null after a redirect elsewhere, such as to the login. */
declare const fetchPage: (url: string) => Promise<Document | null>

/** Morphs the content of an element into that of another with as few changes as possible. */
declare const morphInto: (old: Element, next: Element) => void

/** Shows the title and the icon of a newer page on the tab. */
declare const takeHead: (page: Document) => void
