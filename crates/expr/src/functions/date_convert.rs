//! `__dateTimeConvert(date, source format, target format, variable)` (JMeter's
//! `DateTimeConvertFunction`): converts a date from one pattern to another. Without a source
//! format, the date is in milliseconds since the epoch.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::date_pattern::Patterns;
use crate::arguments::{Args, Target};
use crate::context::Context;
use crate::function::{Function, Outcome};
use crate::level::Level;
use crate::scope::Scope;
use crate::template::Template;
use crate::zone;
use swell_java::time::{DatePattern, Defaults, Fields, Locale};

struct DateConvert {
    date: Template,
    source: Template,
    wanted: Template,
    target: Target,
    sources: Patterns,
    wanteds: Patterns,
    zone: zone::Cached,
}

pub(crate) fn make(args: &mut Args, scope: &Scope<'_>) -> Box<dyn Function> {
    let date = args.required();
    let source = args.required();
    let wanted = args.required();
    let sources = Patterns::default();
    let wanteds = Patterns::default();
    let zone = zone::Cached::default();
    Box::new(DateConvert { date, source, wanted, target: args.target(scope), sources, wanteds, zone })
}

impl Function for DateConvert {
    fn call(&self, cx: &mut Context, out: &mut String) -> Outcome {
        let date = self.date.text(cx);
        let source = self.source.text(cx);
        let wanted = self.wanted.text(cx);
        let zone = self.zone.get(cx);
        let converted = self.wanteds.get(&wanted, Locale::ENGLISH).and_then(|wanted| {
            let source =
                if source.is_empty() { None } else { Some(self.sources.get(&source, Locale::ENGLISH)?) };
            convert(&date, source.as_deref(), &wanted, zone)
        });
        match converted {
            Ok(text) => {
                out.push_str(&text);
                self.target.put(cx, &text);
            }
            Err(reason) => {
                let arguments =
                    format!("value {}, source format {}, target format {}", &*date, &*source, &*wanted);
                cx.host.log(
                    Level::Error,
                    &format!("Error calling __dateTimeConvert with {arguments}: {reason}"),
                );
            }
        }
        Ok(())
    }
}

fn convert(
    date: &str,
    source: Option<&DatePattern>,
    wanted: &DatePattern,
    zone: TimeZone,
) -> Result<String, String> {
    let mut fields = match source {
        None => {
            let ms: i64 = date.parse().map_err(|_| format!("'{date}' is not a number of milliseconds"))?;
            let moment = Timestamp::from_millisecond(ms).map_err(|reason| reason.to_string())?;
            Fields::from(&moment.to_zoned(zone.clone()))
        }
        Some(source) => source.parse(date, Defaults::default())?,
    };
    // A text that names another zone is a moment and moves to the machine's; one with only an
    // offset keeps its hours.
    if let (Some(from), Some(date), Some(time)) = (fields.zone.take(), fields.date, fields.time)
        && from != zone
    {
        let moment = match fields.offset {
            Some(offset) => offset.to_timestamp(date.to_datetime(time)),
            None => date.to_datetime(time).to_zoned(from).map(|moment| moment.timestamp()),
        };
        fields = Fields::from(&moment.map_err(|reason| reason.to_string())?.to_zoned(zone.clone()));
    }
    fields.zone = Some(zone);
    let mut out = String::new();
    wanted.format(&fields, &mut out)?;
    Ok(out)
}
