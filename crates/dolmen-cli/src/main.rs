//! The `dolmen` command.
mod page;
mod parquet;
mod plot;
mod tables;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let run = std::path::Path::new(arguments.get(1).map_or(".", String::as_str));
    let figures = plot::figures(run, run).map_err(|e| e.to_string());
    let copies = parquet::write_tables(run).map_err(|e| e.to_string());
    let page = page::write(run, run).map_err(|e| e.to_string());
    println!("{figures:?}\n{copies:?}\n{page:?}");
}
