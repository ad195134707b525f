// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The search over all pages. index.js, which doc/site/assemble writes, has the text of each element
// of these kinds, in the order of the page.
const ELEMENTS = ':is(h1, h2, h3, h4, h5, dt, p, pre, td.hdlist1)';
const input = document.getElementById('search'), list = document.getElementById('found');

const wordsOf = text => text.toLowerCase().split(/\s+/).filter(Boolean);
const hasAll = (text, words) => words.every(word => text.toLowerCase().includes(word));

// Whether a line of code declares a member of that name.
const declares = (line, words) => words.length == 1 && /^\w+$/.test(words[0])
  && new RegExp(`^\\s+[\\w:<>, ]+ ${words[0]}( = [^;]*)?;`, 'i').test(line);

// Small is better: what is called so, what begins so, what has it in its name, other text, code. Of
// names a definition in the reference is best, then a title there, then those of other pages.
function rank(kind, inReference, text, words) {
  if (kind == 'text') return 100;
  if (kind == 'code') return inReference && declares(text, words) ? 1 : 101;
  const whole = text.toLowerCase(), wanted = words.join(' ');
  const names = [whole, ...whole.split(/[^\w:.]+/), ...whole.split(/\W+/)];
  const match = whole == wanted || whole.split(/::|[ ,]+/).includes(wanted) && kind == 'name' ? 0
    : names.some(name => name.startsWith(wanted)) ? 1 : 2;
  return 10 * match + (inReference ? 0 : 2) + (kind == 'name' ? 0 : 1);
}

function search(words) {
  const found = [];
  for (const { page, title, elements } of INDEX) {
    let section = title;
    elements.forEach(([kind, id, text], at) => {
      if (kind == 'title') section = text;
      // Of code, one line has to have them all.
      const lines = kind == 'code' ? text.split('\n').filter(each => hasAll(each, words)) : [text];
      const line = lines.find(each => declares(each, words)) ?? lines[0];
      if (line && hasAll(line, words))
        found.push({ rank: rank(kind, page.startsWith('reference'), line, words), text: line.trim(),
          where: section == title ? title : `${title}: ${section}`, page, id, at });
    });
  }
  return found.sort((a, b) => a.rank - b.rank); // stable: else in the order of the pages
}

function show() {
  list.textContent = '';
  const words = wordsOf(input.value);
  if (input.value.trim().length < 2) return;
  for (const each of search(words).slice(0, 40)) {
    const link = Object.assign(document.createElement('a'), {
      href: `${each.page}?at=${each.at}&find=${encodeURIComponent(words.join(' '))}#${each.id}`,
      textContent: each.text.slice(0, 120),
    });
    const item = document.createElement('li');
    item.append(link, Object.assign(document.createElement('small'), { textContent: each.where }));
    list.append(item);
  }
  if (!list.firstChild) list.innerHTML = '<li>nothing</li>';
}

// The parts of an element that are any of the words; those of the line that was found first.
function ranges(element, words) {
  const nodes = [], found = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node, begin = 0; (node = walker.nextNode()); begin += node.length)
    nodes.push([node, begin]);
  const place = offset => {
    const [node, begin] = nodes.findLast(each => each[1] <= offset);
    return [node, offset - begin];
  };
  let begin = 0;
  for (const line of element.matches('pre') ? element.textContent.split(/(?<=\n)/)
    : [element.textContent]) {
    for (const word of words)
      for (let at = -1; (at = line.toLowerCase().indexOf(word, at + 1)) >= 0;) {
        const range = document.createRange();
        range.setStart(...place(begin + at));
        range.setEnd(...place(begin + at + word.length - 1));
        range.setEnd(range.endContainer, range.endOffset + 1);
        found.push([declares(line, words) ? 0 : hasAll(line, words) ? 1 : 2, range]);
      }
    begin += line.length;
  }
  return found.sort((a, b) => a[0] - b[0]).map(each => each[1]);
}

// On the page that was found: what was found is shown, and where.
function highlight(at, words) {
  const element = document.querySelectorAll(`main ${ELEMENTS}`)[at];
  if (!element) return;
  for (let up = element; up; up = up.parentElement) if (up.tagName == 'DETAILS') up.open = true;
  const found = ranges(element, words);
  if (!found.length) return;
  element.classList.add('found');
  if (window.Highlight) CSS.highlights.set('found', new Highlight(...found));
  const scroll = () => scrollBy({ top: found[0].getBoundingClientRect().top - innerHeight / 3 });
  scroll();
  addEventListener('load', () => requestAnimationFrame(scroll)); // after the browser's own
}

let loading;
input.addEventListener('input', () => {
  loading ??= new Promise(done => {
    const script = Object.assign(document.createElement('script'), { src: 'index.js' });
    script.onload = done;
    document.head.append(script);
  });
  loading.then(show);
});
input.addEventListener('keydown', event => {
  if (event.key == 'Enter') list.querySelector('a')?.click();
  if (event.key == 'Escape') { input.value = ''; list.textContent = ''; }
});
addEventListener('keydown', event => {
  if (event.key == '/' && !/INPUT|TEXTAREA/.test(document.activeElement.tagName)) {
    event.preventDefault();
    input.focus();
  }
});

const query = new URLSearchParams(location.search);
if (query.has('at')) highlight(query.get('at'), wordsOf(query.get('find') ?? ''));

// The section that is read, in the contents.
const sections = new Map([...document.querySelectorAll('nav ol ol a')].map(
  link => [document.getElementById(decodeURIComponent(link.hash.slice(1))), link]));
function follow() {
  let here;
  for (const [title, link] of sections) {
    link.classList.remove('here');
    if (title.getBoundingClientRect().top < innerHeight / 4) here = link;
  }
  here?.classList.add('here');
}
addEventListener('scroll', follow, { passive: true });
follow();
// The contents may be longer than the window.
const column = document.querySelector('aside'), current = document.querySelector('[aria-current]');
if (current.offsetTop > column.clientHeight / 2)
  column.scrollTop = current.offsetTop - column.clientHeight / 4;
