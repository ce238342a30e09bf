//! `__CSVRead(file or *alias, column or next or *alias)` (JMeter's `CSVRead`, `FileWrapper`,
//! `FileRowColContainer`): rows of a file, each given to one user in turn. A user keeps its row
//! until it calls `next`.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use super::lines::Lines;
use crate::arguments::Args;
use crate::context::Context;
use crate::function::{CallFailure, Function, Outcome};
use crate::functions::per_user::PerUser;
use crate::level::Level;
use crate::scope::Scope;
use crate::template::Template;

struct CsvRead {
    file: Template,
    column: Template,
    files: Arc<Mutex<Files>>,
    attached: PerUser<HashMap<String, FilePosition>>,
}

/// All files of the run, by file name or alias.
#[derive(Default)]
struct Files {
    tables: HashMap<String, Arc<Table>>,
    /// The first file opened: what an empty name means while it is the only one.
    default: String,
}

struct Table {
    rows: Vec<Vec<String>>,
    next: Mutex<usize>,
}

/// What a user has of a file.
struct FilePosition {
    table: Arc<Table>,
    row: Option<usize>,
}

pub(crate) fn make(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let file = args.required();
    let column = args.required();
    let files = scope.common("__CSVRead", Mutex::default);
    let attached = PerUser::common(scope, "__CSVRead");
    Box::new(CsvRead { file, column, files, attached })
}

impl Function for CsvRead {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let file = self.file.text(cx);
        let column = self.column.text(cx);
        if column.starts_with('*') {
            let file = self.or_default(&file, cx);
            self.open(&file, &column, cx)?;
        } else if *column == *"next" || *column == *"next()" {
            let file = self.or_default(&file, cx);
            let known = self.attached.with(cx, |all| all.get_mut(&file).map(|mine| mine.row = None));
            if known.is_none() {
                cx.host.log(Level::Warn, &format!("__CSVRead: next row: no entry for {file}"));
            }
        } else {
            match column.parse::<i32>() {
                Ok(index) => self.column(&file, index, cx, out)?,
                Err(_) => {
                    cx.host.log(Level::Warn, &format!("__CSVRead: `{}` is not a column number", &*column));
                }
            }
        }
        Ok(())
    }
}

impl CsvRead {
    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock()
    }

    fn or_default(&self, file: &str, cx: &Context) -> String {
        let files = self.files();
        if !file.is_empty() {
            return file.to_owned();
        }
        if files.tables.len() != 1 || files.default.is_empty() {
            cx.host.log(Level::Error, "__CSVRead: cannot determine default file name");
            return String::new();
        }
        files.default.clone()
    }

    /// Attaches the user to a file, which is read by the first.
    fn open(&self, file: &str, alias: &str, cx: &mut Context) -> Outcome {
        if alias.is_empty() {
            cx.host.log(Level::Error, "__CSVRead: an alias cannot be empty");
            return Ok(());
        }
        if self.attached.with(cx, |all| all.contains_key(alias)) {
            return Ok(());
        }
        let table = {
            let mut files = self.files();
            match files.tables.get(alias) {
                Some(table) => table.clone(),
                None if file.is_empty() => {
                    return Err(CallFailure::illegal("Filename must not be null or empty"));
                }
                None => match Table::read(file, cx) {
                    Ok(table) => {
                        let table = Arc::new(table);
                        files.tables.insert(alias.to_owned(), table.clone());
                        if files.default.is_empty() {
                            file.clone_into(&mut files.default);
                        }
                        table
                    }
                    Err(reason) => {
                        cx.host.log(Level::Error, &format!("__CSVRead: {file}: {reason}"));
                        return Ok(());
                    }
                },
            }
        };
        self.attached.with(cx, |all| {
            all.entry(alias.to_owned()).or_insert(FilePosition { table, row: None });
        });
        Ok(())
    }

    fn column(&self, file: &str, index: i32, cx: &mut Context, out: &mut String) -> Outcome {
        let mut name = file.to_owned();
        if !self.attached.with(cx, |all| all.contains_key(file)) {
            if file.starts_with('*') {
                cx.host
                    .log(Level::Warn, &format!("__CSVRead: cannot perform initial open using alias {file}"));
                return Ok(());
            }
            name = self.or_default(file, cx);
            self.open(&name, &name, cx)?;
        }
        let cell = self.attached.with(cx, |all| {
            let mine = all.get_mut(&name)?;
            let row = *mine.row.get_or_insert_with(|| mine.table.next_row());
            let cell = mine.table.rows.get(row).and_then(|row| row.get(usize::try_from(index).ok()?));
            Some(cell.cloned().ok_or(row))
        });
        match cell {
            Some(Ok(text)) => out.push_str(&text),
            Some(Err(row)) => {
                cx.host.log(
                    Level::Warn,
                    &format!("__CSVRead: invalid column number: {index} at row {row} of {name}"),
                );
            }
            None => {}
        }
        Ok(())
    }
}

impl Table {
    /// Reads up to the end or the first empty line.
    fn read(file: &str, cx: &Context) -> io::Result<Self> {
        let delimiter = cx.props.get("csvread.delimiter").unwrap_or_else(|| ",".to_owned());
        let limits = cx.host.file_limits();
        let mut lines = Lines::new(cx.host.open(Path::new(file))?, limits);
        let mut rows = Vec::new();
        let mut held = 0;
        while let Some(line) = lines.next()?
            && !line.is_empty()
        {
            let row: Vec<_> = line.split(&*delimiter).map(str::to_owned).collect();
            held += (line.len() + size_of::<Vec<String>>() + row.len() * size_of::<String>()) as u64;
            limits.check_whole(held)?;
            rows.push(row);
        }
        Ok(Self { rows, next: Mutex::new(0) })
    }

    /// The next row of the file, the first again after the last.
    fn next_row(&self) -> usize {
        let mut next = self.next.lock();
        let row = *next;
        *next = if row + 1 < self.rows.len() { row + 1 } else { 0 };
        row
    }
}
