// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// The search over all pages. index.js, which doc/site/assemble writes, has the text of each element
// of these kinds, in the order of the page.
const ELEMENTS = ':is(h1, h2, h3, h4, h5, dt, p, pre, td.hdlist1)';
const input = document.getElementById('search'), list = document.getElementById('found');

// What a reader may say, and how the pages put it, the best first.
const SYNONYMS = {
  'thread pool': ['pool', 'worker_pool', 'thread_pool'],
  'timer late': ['late', 'in time', 'delay'],
  'compile time': ['take to compile', 'cost to build'],
  'stack size': ['memory do threads', 'memory'],
  'thread local': ['thread_local'],
  'which thread': ['which thread', 'threads', 'its thread'],
  cpu: ['core'],
  crash: ['crash', 'terminate', 'ends the process', 'exception'],
  deadlock: ['hang', 'wait for another', 'does not return', 'deadlock'],
  freeze: ['hang', 'stall', 'block'],
  gui: ['qt'],
  hang: ['hang', 'does not return', 'never goes on', 'stall', 'block'],
  install: ['building'],
  latency: ['late', 'slow'],
  multicore: ['many cores', 'several cores'],
  parallelism: ['several threads'],
  race: ['data race', 'strand'],
  resume: ['stay'],
  scale: ['scaling'],
  shutdown: ['shut down', 'shutdown', 'end on', 'stop'],
  sleep: ['sleep', 'block'],
  slow: ['slow', 'late', 'stall', 'block'],
  stuck: ['hang', 'stall', 'does not return', 'block'],
};
// What a question or a title may do without.
const MINOR = new Set(['a', 'an', 'and', 'are', 'can', 'context', 'do', 'does', 'each', 'find',
  'for', 'handler', 'how', 'i', 'in', 'io', 'is', 'it', 'my', 'not', 'of', 'on', 'run', 'the', 'to',
  'use', 'what', 'when', 'which', 'why']);

const wordsOf = text => text.toLowerCase().split(/\s+/).filter(Boolean);
const hasAll = (text, words) => words.every(word => text.toLowerCase().includes(word));
// Whether a word of the text begins so; the words of a name such as worker_pool count.
const begins = (text, word) =>
  new RegExp(`(?<![a-z0-9])${word.replace(/\W/g, '\\$&')}`).test(text);
// Whether it has that word, with an ending or without.
const says = (text, word) =>
  new RegExp(`(?<![a-z0-9])${word}(s|er|ed|ing)?(?![a-z0-9])`).test(text);

// Without an ending, as "block" for "blocking" and "stop" for "stopped".
function stemOf(word) {
  const stem = word.replace(/(?<=^[a-z]{3,})(ing|ed|s)$/, '');
  return stem == word || /[^s]s$/.test(word) ? stem : stem.replace(/(.)\1$/, '$1');
}

// What is asked for: terms, each with what the reader wrote, its synonyms, and whether it may be
// missing.
function termsOf(words) {
  const stems = words.map(stemOf), terms = [];
  for (let at = 0; at < words.length; ++at) {
    let next = at + 1; // as in "timer is late"
    while (next < words.length && MINOR.has(words[next])) ++next;
    const two = `${stems[at]} ${stems[next]}`;
    if (Object.hasOwn(SYNONYMS, two)) {
      terms.push({ written: [two], synonyms: SYNONYMS[two], minor: false });
      at = next;
    } else {
      const synonyms = Object.hasOwn(SYNONYMS, stems[at]) ? SYNONYMS[stems[at]] : [];
      terms.push({ written: [...new Set([words[at], stems[at]])], synonyms,
        minor: MINOR.has(words[at]) || MINOR.has(stems[at]) });
    }
  }
  if (terms.every(term => term.minor)) for (const term of terms) term.minor = false;
  return terms;
}

// How a title or a question answers the terms: small is better; and the words of it that do. Or
// nothing.
function answer(text, terms, words) {
  const lower = text.toLowerCase(), shown = [];
  let worst = begins(lower, words.join(' ')) ? 0 : 2;
  for (const { written, synonyms, minor } of terms) {
    const alternatives = [...written, ...synonyms];
    const which = alternatives.findIndex((each, at) =>
      at < written.length ? begins(lower, each) : says(lower, each));
    if (which < 0 && !minor) return null;
    if (which >= 0) shown.push(alternatives[which]);
    worst += which < 0 ? 3 : 2 * which;
  }
  return { rank: worst, shown };
}

// Whether a line of code declares a member of that name.
const declares = (line, words) => words.length == 1 && /^\w+$/.test(words[0])
  && new RegExp(`^\\s+[\\w:<>, ]+ ${words[0]}( = [^;]*)?;`, 'i').test(line);

// Small is better: what is called so; titles, symptoms and questions that answer, from 9 on; names
// that begin so, or have it in them, from 50 on; other text, code. Of names a definition in the
// reference is best, then a title there, then those of other pages.
function rank(kind, inReference, text, words) {
  if (kind == 'text') return begins(text.toLowerCase(), words.join(' ')) ? 99 : 100;
  if (kind == 'code') return inReference && declares(text, words) ? 1 : 101;
  const whole = text.toLowerCase(), wanted = words.join(' ');
  const names = [whole, ...whole.split(/[^\w:.]+/), ...whole.split(/\W+/)];
  const match = whole == wanted
    || kind == 'name' && whole.length < 80 && whole.split(/::|[ ,]+/).includes(wanted) ? 0
    : names.some(name => name.startsWith(wanted)) ? 5 : 6;
  return 10 * match + (inReference ? 0 : 2) + (kind == 'name' ? 0 : 1);
}

function search(words) {
  const found = [], terms = termsOf(words);
  const major = terms.filter(term => !term.minor).map(term => term.written.at(-1));
  for (const { page, title, elements } of INDEX) {
    const inReference = page.startsWith('reference');
    let section = title;
    elements.forEach(([kind, text], at) => {
      if (kind == 'title') section = text;
      // Of code, one line has to have them all.
      const lines = kind == 'code' ? text.split('\n').filter(each => hasAll(each, words)) : [text];
      const line = lines.find(each => declares(each, words)) ?? lines[0];
      let best = line && hasAll(line, words)
        ? { rank: rank(kind, inReference, line, words), shown: words }
        : kind == 'text' && hasAll(text, major) ? { rank: 110, shown: major } : null;
      let answered = kind == 'title' || kind == 'question' ? answer(text, terms, words) : null;
      // A symptom may say little without its section. The title of a page stands for all of it.
      if (answered) answered.rank += 10 + (inReference ? 4 : 0) - (at == 0 ? 1 : 0);
      else if (kind == 'question' && (answered = answer(`${text} ${section}`, terms, words)))
        answered.rank += 13;
      if (answered && !(best?.rank <= answered.rank)) best = answered;
      if (best)
        found.push({ ...best, text: line.trim(),
          where: section == title ? title : `${title}: ${section}`, page, at });
    });
  }
  return found.sort((a, b) => a.rank - b.rank); // stable: else in the order of the pages
}

function show() {
  list.textContent = '';
  const words = wordsOf(input.value);
  if (input.value.trim().length < 2) return;
  for (const each of search(words).slice(0, 40)) {
    const find = encodeURIComponent(each.shown.join(' '));
    // No anchor: the browser would scroll to it, too, and later than highlight() does.
    const link = Object.assign(document.createElement('a'), {
      href: `${each.page}?at=${each.at}&find=${find}`,
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

// On the page that was found: what was found is shown, and where. A symptom may have been found by
// the words of its section alone: then all of it is shown.
function highlight(at, words) {
  const element = document.querySelectorAll(`main ${ELEMENTS}`)[at];
  if (!element) return;
  for (let up = element; up; up = up.parentElement) if (up.tagName == 'DETAILS') up.open = true;
  const found = ranges(element, words);
  element.classList.add('found');
  if (window.Highlight) CSS.highlights.set('found', new Highlight(...found));
  scrollBy({ top: (found[0] ?? element).getBoundingClientRect().top - innerHeight / 3 });
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
