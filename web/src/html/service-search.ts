import { icon } from './components/icon.ts'
import { attribute, html, type Html } from '@probe-mesh/runtime/html'

/**
 * A field that finds services by name or domain. Without a script it submits to the page of all services;
 * islands/find.js shows matches while typing.
 * @param search.in `page`: the services are on this page. `list`: matches are listed below the field.
 */
export const serviceSearch = (search: { q?: string; in: 'page' | 'list' | null; isLarge?: boolean }): Html =>
  html`<form
      class="find${search.isLarge === true ? ' find-large' : ''}"
      role="search"
      method="get"
      action="/services"
      data-keep="on"
      ${attribute('data-module', search.in === null ? null : '/module#find')}
      ${attribute('data-find-in', search.in)}
    >
      <label class="unseen" for="q">Find a service by name or domain</label>
      ${icon('search')}
      <input
        id="q"
        name="q"
        type="search"
        maxlength="300"
        autocomplete="off"
        placeholder="Name or domain, such as github.com"
        ${attribute('value', search.q === undefined || search.q === '' ? null : search.q)}
      />
      <button class="primary" type="submit">Search</button>
    </form>
    ${search.in === 'list' && html`<div id="found-list" data-keep="on"></div>`}
    <p id="found" class="muted small-print" role="status" data-keep="on"></p>`
