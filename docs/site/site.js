// What axe-core finds in the pages of mdBook: a part that scrolls needs the focus of the keyboard, and a label that is used as a
// button has to say so.
for (const part of document.querySelectorAll('pre > code, .table-wrapper')) {
  part.tabIndex = 0;
  part.setAttribute('role', 'region');
  part.setAttribute('aria-label', part.tagName === 'CODE' ? 'code' : 'table');
}
document.getElementById('mdbook-sidebar-toggle')?.setAttribute('role', 'button');
