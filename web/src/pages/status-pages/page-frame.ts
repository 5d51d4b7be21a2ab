import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { icon } from '../../html/components/icon.ts'
import { menu } from '../../html/components/menu.ts'
import { tabs } from '../../html/components/page-head.ts'
import { tag } from '../../html/components/tag.ts'
import { stateWords } from '../../html/publish-words.ts'
import { html, type Html } from '@probe-mesh/runtime/html'

type Tab = 'components' | 'design' | 'posts'

/** The common frame of a status page's views: name, state, actions, and tabs. */
export const pageFrame = (page: StatusPage, current: Tab, main: Html) => {
  const at = `/dashboard/pages/${page.id}`
  const entry = (text: string, path: string, tab: Tab | null) => ({ text, path, isCurrent: tab === current })
  return {
    kind: 'page' as const,
    title: page.name,
    area: 'pages' as const,
    state: tag(stateWords[page.state]),
    about: html`<a href="${page.path}"><bdi>${page.url}</bdi></a>`,
    actions: html`<a class="button" href="${page.path}">${icon('external')}View page</a> ${menu(
        { icon: 'more', label: 'More actions' },
        [
          { text: 'Post incident', icon: 'incident', path: `/dashboard/incidents/new?page=${page.id}` },
          {
            text: 'Schedule maintenance',
            icon: 'maintenance',
            path: `/dashboard/maintenance/new?page=${page.id}`,
          },
          { text: 'Delete page', icon: 'delete', path: `${at}/delete`, isDanger: true, isConfirmed: true },
        ],
      )}`,
    main: html`${tabs('Views of the page', [
      entry('Components', at, 'components'),
      entry('Design', `${at}/edit`, 'design'),
      entry('Subscribers', `/dashboard/subscribers?page=${page.id}`, null),
      entry('Posts', `${at}/posts`, 'posts'),
    ])}
    ${main}`,
  }
}
