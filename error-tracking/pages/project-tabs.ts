import type { OwnErrorProject } from '../contracts/error-project.ts'
import type { DashboardPage } from '@probe-mesh/web/src/html/dashboard-page'
import { tabs } from '@probe-mesh/web/src/html/components/page-head'
import { html, type Html } from '@probe-mesh/runtime/html'
import { platformNames } from './error-words.ts'

export const errorsPath = '/dashboard/errors'
export const rulesPath = `${errorsPath}/rules`
export const projectPath = (id: string): string => `${errorsPath}/${id}`

const tabNames = {
  issues: 'Issues',
  usage: 'Usage',
  'source-maps': 'Source maps',
  settings: 'Settings',
} as const
type Tab = keyof typeof tabNames

const tabPath = (id: string, tab: Tab): string =>
  tab === 'issues' ? projectPath(id) : `${projectPath(id)}/${tab}`

type Project = Pick<OwnErrorProject, 'id' | 'name' | 'platform'>

/** A view of a project: its name, its tabs, and what the tab shows. */
export const projectPage = (
  { id, name, platform }: Project,
  tab: Tab,
  main: Html,
): DashboardPage & { kind: 'page' } => ({
  kind: 'page',
  title: tab === 'issues' ? name : `${tabNames[tab]} of ${name}`,
  heading: html`<bdi>${name}</bdi>`,
  area: 'errors',
  state: html`<span class="muted">${platformNames[platform]}</span>`,
  main: html`${tabs(
    'Project',
    Object.entries(tabNames).map(([each, text]) => ({
      path: tabPath(id, each as Tab),
      text,
      isCurrent: each === tab,
    })),
  )}
  ${main}`,
})

/** The views of the area: projects, and the alert rules of all of them. */
export const areaTabs = (current: 'projects' | 'rules'): Html =>
  tabs('Errors', [
    { path: errorsPath, text: 'Projects', isCurrent: current === 'projects' },
    { path: rulesPath, text: 'Alert rules', isCurrent: current === 'rules' },
  ])

/** The way back from a page below a project. */
export const projectCrumb = ({ id, name }: Pick<Project, 'id' | 'name'>) => ({
  path: projectPath(id),
  text: name,
})
