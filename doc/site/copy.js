// Copyright (c) 2026 The asio_ewyk authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE or
// copy at https://www.boost.org/LICENSE_1_0.txt)

// Each block of code has a button that copies it. The button is beside the <pre>, not in it, so that
// search.js finds the same text there as in index.js.
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // A page that came by plain HTTP has no clipboard.
  const area = Object.assign(document.createElement('textarea'), { value: text });
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (!done) throw new Error('refused');
}

for (const code of document.querySelectorAll('main .content > pre')) {
  const button = Object.assign(document.createElement('button'), {
    type: 'button', className: 'copy', textContent: 'Copy',
  });
  button.addEventListener('click', async () => {
    try {
      await copy(code.textContent.trimEnd() + '\n');
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not copied';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  code.after(button);
}
